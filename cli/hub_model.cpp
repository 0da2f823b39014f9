#include "cli/hub_model.h"

#include <algorithm>

#include "cli/hub_cache.h"
#include "cli/hub_net.h"
#include "cli/hub_trouble.h"
#include "rooflens/readers/builtin_models.h"
#include "rooflens/readers/json_text.h"

namespace rooflens::cli {
namespace {

// The files of a repository and the story of how they were come by.
struct FromHub {
  ModelTexts texts;
  std::string where;               // of config.json
  std::string source, place;       // "local Hugging Face cache, commit ...", a path or URL
  std::string folder;              // that may hold the weights, "" = none
  std::vector<std::string> notes;  // besides the source
};

bool says_yes(const Io& io, const char* name) {
  std::string v = variable(io, name);
  std::transform(v.begin(), v.end(), v.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c & ~32) : c; });
  return v == "1" || v == "ON" || v == "YES" || v == "TRUE";
}

const char* offline_variable(const Io& io) {
  for (const char* name : {"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}) {
    if (says_yes(io, name)) return name;
  }
  return nullptr;
}

void put(ModelTexts& texts, std::string_view file, const std::string& text) {
  if (file == "config.json") texts.config = text;
  if (file == "hf_quant_config.json") texts.hf_quant_config = text;
  if (file == "quantize_config.json") texts.quantize_config = text;
  if (file == "quant_config.json" && texts.quantize_config.empty()) texts.quantize_config = text;
  if (is_hub_index(file)) texts.index = text;
}

Result<FromHub> read_cached(const CachedModel& cached, const Io& io) {
  FromHub found;
  found.place = found.folder = cached.snapshot;
  found.where = config_in(cached.snapshot, io);
  found.source =
      "local Hugging Face cache, commit " + short_commit(cached.commit) + " (" + cached.how + ")";
  auto texts = texts_beside(found.where, io);
  if (!texts) return Failure(std::move(texts.error()));
  found.texts = std::move(*texts);
  return found;
}

// Checks what came and hands it on. A bad index is left out with a note: it is only compared.
Result<void> accept(const HubAnswer& answer, const std::string& file, FromHub& found,
                    std::vector<HubFile>& files) {
  files.push_back({file, answer.text, answer.etag, answer.absent});
  if (answer.absent) return {};
  if (auto json = parse_json(answer.text, answer.url); !json) {
    if (!is_hub_index(file)) return Failure(std::move(json.error()));
    files.pop_back();
    found.notes.push_back(file + " is not used: " + json.error().message);
    return {};
  }
  put(found.texts, file, answer.text);
  return {};
}

Result<FromHub> fetch(const HubId& id, const ModelAccess& access, const Io& io) {
  auto hub = hub_of(access.endpoint, io);
  if (!hub) return Failure(std::move(hub.error()));
  auto client = HubClient::open(*hub, io);
  if (!client) return Failure(std::move(client.error()));
  FromHub found;
  std::vector<HubFile> files;
  std::string revision = id.revision_or_main(), commit;
  for (const char* name : kHubFiles) {
    const std::string file = name;
    if (file == kHubOldIndex && !found.texts.index.empty()) continue;
    auto answer = client->get(id, revision, file, is_hub_index(file) ? kIndexBytes : kJsonBytes);
    if (!answer && is_hub_index(file)) {
      found.notes.push_back(file + " is not used: " + answer.error().message);
      continue;
    }
    if (!answer) return Failure(std::move(answer.error()));
    if (file == kHubFiles[0]) {
      if (answer->absent) return Failure(absent(id, file, answer->url));
      found.where = found.place = answer->url;
      commit = answer->commit;
      if (!commit.empty()) revision = commit;  // the rest from the same state
    }
    if (auto r = accept(*answer, file, found, files); !r) return Failure(std::move(r.error()));
  }
  found.source = "fetched from " + shown_url(hub->endpoint) + ", commit " +
                 (commit.empty() ? "not told" : short_commit(commit)) + " (" +
                 id.revision_or_main() + ")";
  const std::string root = hub_cache_folder(io);
  std::string why;
  const auto nameless = [](const HubFile& f) { return !f.absent && f.etag.empty(); };
  if (commit.empty() || std::any_of(files.begin(), files.end(), nameless)) {
    why = "the hub tells no commit or etag";
  } else if (root.empty()) {
    why = "there is no folder for it: neither HF_HOME nor HOME is set";
  } else {
    const std::string ref = looks_like_commit(id.revision) ? "" : id.revision_or_main();
    if (auto r = store_cached(root, id.name, commit, ref, files); !r) {
      why = r.error().message + " (" + r.error().where + ")";
    }
  }
  if (!why.empty()) found.notes.push_back("not kept for the next time: " + why);
  return found;
}

Result<Model> model_of(FromHub found, const std::string& name, const ModelAccess& access,
                       const Io& io) {
  auto model = found.folder.empty()
                   ? read_model_texts(found.texts, found.where, access.reading)
                   : read_with_weights(found.texts, found.where, found.folder, io, access.reading);
  if (!model) return model;
  model->name = name;
  model->facts.insert(model->facts.begin(), {"read from", "", found.source, found.place});
  model->warnings.insert(model->warnings.begin(), found.where.substr(found.where.rfind('/') + 1) +
                                                      ": " + found.source + ", " + found.place);
  for (std::string& n : found.notes) model->warnings.push_back(std::move(n));
  return model;
}

Result<Model> model_in_cache(const CachedModel& cached, const ModelAccess& access, const Io& io) {
  auto found = read_cached(cached, io);
  if (!found) return Failure(std::move(found.error()));
  auto model = model_of(std::move(*found), cached.name, access, io);
  if (model && !cached.whole && model->quantisation.empty()) {
    model->warnings.push_back(
        "the cache holds a part of " + cached.name +
        " only: quantisation files beside config.json, if it has any, were not read; --online "
        "fetches them");
  }
  return model;
}

// What every place said, when none had the model.
Result<Model> nowhere(const HubId& id, const std::string& root, bool offered, Error builtin) {
  Error e = std::move(builtin);
  if (id.name.find('/') == std::string::npos && id.revision.empty()) return Failure(std::move(e));
  if (id.revision.empty()) {
    e.message = id.name + " is neither in the local Hugging Face cache nor built in";
  } else {
    e.message = id.text() + " is not in the local Hugging Face cache";
    e.hint = offered
                 ? "without a revision the built-in " + id.name + " is used; or give a config.json"
                 : "give a config.json";
  }
  e.where = root.empty() ? "there is no cache: neither HF_HOME nor HOME is set" : "cache " + root;
  e.hint += ", or --online to fetch the config from a hub";
  return Failure(std::move(e));
}

// A built-in name without its organisation stands for the whole name in the cache, too.
HubId with_organisation(const HubId& id) {
  if (id.name.find('/') != std::string::npos) return id;
  const auto builtin = builtin_model(id.name);
  const auto whole = builtin ? parse_hub_id(builtin->name) : std::nullopt;
  return whole ? HubId{whole->name, id.revision} : id;
}

}  // namespace

Result<Model> load_hub_model(const HubId& as_given, const ModelAccess& access, const Io& io) {
  const HubId id = with_organisation(as_given);
  const char* offline = offline_variable(io);
  if (access.online && offline != nullptr) {
    return fail(ErrorCode::invalid,
                std::string("--online is given, but ") + offline + " forbids it", offline,
                "leave out one of them");
  }
  const std::string root = hub_cache_folder(io);
  const CachedModel cached = find_cached(id, root);
  const bool has = !cached.snapshot.empty();
  const auto with_remarks = [&](Result<Model> model, const std::string& more = "") {
    if (!model) return model;
    auto& w = model->warnings;
    w.insert(w.end(), cached.remarks.begin(), cached.remarks.end());
    if (!more.empty()) w.push_back(more);
    return model;
  };
  if (has) {
    auto model = model_in_cache(cached, access, io);
    const bool complete = cached.whole || !model || !model->quantisation.empty();
    if (complete || !access.online) return with_remarks(std::move(model));
    auto found = fetch({cached.name, cached.commit}, access, io);
    if (found) return with_remarks(model_of(std::move(*found), cached.name, access, io));
    return with_remarks(std::move(model),
                        "the missing files were not fetched: " + found.error().message);
  }
  auto builtin = builtin_model(id.name, access.reading);
  if (builtin && id.revision.empty()) {
    builtin->facts.insert(builtin->facts.begin(),
                          {"read from", "", "built-in models", "data/models/models.tsv"});
    return with_remarks(std::move(builtin));
  }
  if (access.online) {
    auto found = fetch(id, access, io);
    if (!found) return Failure(std::move(found.error()));
    return with_remarks(model_of(std::move(*found), id.name, access, io));
  }
  Error e = builtin ? Error{ErrorCode::not_found, "", "", ""} : std::move(builtin.error());
  if (e.code != ErrorCode::not_found) return Failure(std::move(e));
  auto none = nowhere(id, root, builtin.has_value(), std::move(e));
  for (const std::string& r : cached.remarks) none.error().message += "\n" + r;
  return none;
}

}  // namespace rooflens::cli
