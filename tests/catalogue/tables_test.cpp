// Every row of data/hardware: plausible, sourced, consistent.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <set>

#include "rooflens/catalogue/built_in.h"
#include "rooflens/catalogue/catalogue.h"
#include "rooflens/core/csv.h"
#include "rooflens/core/quantity.h"

namespace rooflens {
namespace {

const Device& device(std::string_view id) {
  const Device* d = built_in_catalogue().find(id);
  EXPECT_NE(d, nullptr) << id;
  static const Device kNone;
  return d != nullptr ? *d : kNone;
}

// Runs f(table) for every row.
template <class F>
int each_row(std::string_view text, F f) {
  auto t = CsvTable::open(text, "table");
  EXPECT_TRUE(t.has_value());
  int rows = 0;
  for (;;) {
    const auto more = t->next();
    EXPECT_TRUE(more.has_value()) << (more ? "" : more.error().message + more.error().where);
    if (!more || !*more) return rows;
    ++rows;
    f(*t);
  }
}

std::string text_at(const CsvTable& t, const char* column) {
  EXPECT_NE(t.column(column), CsvTable::npos) << column;
  return std::string(t.at(t.column(column)));
}

double number_at(const CsvTable& t, const char* column) {
  const std::string s = text_at(t, column);
  if (s.empty()) return 0;
  const auto v = parse_number(s);
  EXPECT_TRUE(v.has_value()) << t.where() << " " << column << ": " << s;
  return v.value_or(0);
}

TEST(DeviceTable, EveryRowIsRead) {
  const int rows = each_row(embedded::devices_csv, [](const CsvTable& t) {
    const Device& d = device(text_at(t, "id"));
    EXPECT_EQ(d.name, text_at(t, "name"));
    EXPECT_FALSE(text_at(t, "src").empty()) << d.id;
    EXPECT_EQ(text_at(t, "conf").size(), 1u) << d.id;
    EXPECT_DOUBLE_EQ(d.bytes_per_s, number_at(t, "mem_bw_gbs") * 1e9) << d.id;
    if (number_at(t, "mem_bytes") > 0) {
      EXPECT_EQ(d.capacity_bytes, number_at(t, "mem_bytes"));
    }
    EXPECT_DOUBLE_EQ(d.peak_of(Compute::bf16), number_at(t, "bf16") * 1e12) << d.id;
    EXPECT_DOUBLE_EQ(d.peak_of(Compute::fp8), number_at(t, "fp8") * 1e12) << d.id;
    EXPECT_DOUBLE_EQ(d.peak_of(Compute::int8), number_at(t, "int8") * 1e12) << d.id;
    EXPECT_DOUBLE_EQ(d.peak_fp16_acc16, number_at(t, "fp16_acc16") * 1e12) << d.id;
    EXPECT_DOUBLE_EQ(d.peak_fp8_acc16, number_at(t, "fp8_acc16") * 1e12) << d.id;
    EXPECT_DOUBLE_EQ(d.vector_flops_per_s, number_at(t, "fp32_vector") * 1e12) << d.id;
    EXPECT_DOUBLE_EQ(d.cache_bytes, number_at(t, "llc_mb") * 1e6) << d.id;
  });
  EXPECT_EQ(static_cast<std::size_t>(rows), built_in_catalogue().devices.size());
  EXPECT_GE(rows, 167);
}

TEST(DeviceTable, UnitsArePlausible) {
  for (const Device& d : built_in_catalogue().devices) {
    if (d.memory_type != "SRAM") {
      EXPECT_GE(d.bytes_per_s, 10e9) << d.id;
      EXPECT_LE(d.bytes_per_s, 30e12) << d.id << ": torchao's RTX 5090 is 1000 times too fast";
    }
    for (int c = 0; c < kComputes; ++c) {
      const double p = d.peak[static_cast<std::size_t>(c)];
      EXPECT_TRUE(p == 0 || (p > 1e11 && p < 2e17)) << d.id << " " << c << " " << p;
    }
    EXPECT_TRUE(d.capacity_bytes == 0 || d.capacity_bytes > 1e8) << d.id;
    EXPECT_GE(d.max_clock_factor, 1) << d.id;
    EXPECT_LE(d.max_clock_factor, 1.25) << d.id;
    EXPECT_FALSE(d.vendor.empty()) << d.id;
    EXPECT_FALSE(d.kind.empty()) << d.id;
    EXPECT_FALSE(d.memory_type.empty()) << d.id;
    EXPECT_TRUE(d.year >= 2016 && d.year <= 2026) << d.id;
    EXPECT_EQ(d.usd_per_hour > 0, !d.price_source.empty()) << d.id;
    EXPECT_EQ(d.peak_origin, d.confidence == "C" ? Origin::estimated : Origin::datasheet) << d.id;
  }
}

// ridge_f16 of the table = its 16-bit matrix peak (bf16, else fp16) over its bandwidth, rounded to
// one decimal.
TEST(DeviceTable, RidgesAgreeWithTheTable) {
  int checked = 0;
  each_row(embedded::devices_csv, [&](const CsvTable& t) {
    const double written = number_at(t, "ridge_f16");
    if (written == 0) return;
    const Device& d = device(text_at(t, "id"));
    const double bf16 = number_at(t, "bf16"), fp16 = number_at(t, "fp16");
    const double peak = (fp16 > 0 && bf16 > 0) ? std::max(bf16, fp16) : bf16 + fp16;
    const double expected = peak * 1000 / number_at(t, "mem_bw_gbs");
    EXPECT_NEAR(written, expected, 0.051 + 2e-3 * expected) << d.id;
    const double ours = std::max(ridge(d, Compute::bf16), ridge(d, Compute::fp16));
    if (peak * 1e12 >= d.vector_flops_per_s) {
      EXPECT_NEAR(ours, written, 0.051 + 2e-3 * written) << d.id;
    }
    ++checked;
  });
  EXPECT_GT(checked, 140);
}

// Peaks are dense and with FP32 accumulation: FP8 is at most twice BF16 (MI300: twice), FP4 at most
// six times (B300: 13.5 of 2.25), and nothing is multiplied by sparse_x.
TEST(DeviceTable, SparseIsNeverUsed) {
  each_row(embedded::devices_csv, [&](const CsvTable& t) {
    const Device& d = device(text_at(t, "id"));
    const double bf16 = d.peak_of(Compute::bf16);
    if (bf16 == 0) return;
    // Rubin's 4.4x and Trainium 3's 3.75x are their own announced ratios
    if (d.id != "rubin" && d.id != "trainium3") {
      EXPECT_LE(d.peak_of(Compute::fp8), 2.03 * bf16) << d.id;  // L40S: 733 at a higher clock
    }
    EXPECT_LE(d.peak_of(Compute::fp4), 9 * bf16) << d.id;
    const double derived = number_at(t, "f16_derived");  // units x clock x dense rate
    if (derived > 0) {
      EXPECT_LE(std::max(bf16, number_at(t, "fp16") * 1e12), 1.03 * derived * 1e12) << d.id;
    }
  });
  EXPECT_DOUBLE_EQ(device("h100-sxm").peak_of(Compute::bf16), 989.4e12);   // not 1979
  EXPECT_DOUBLE_EQ(device("h100-nvl").peak_of(Compute::fp8), 1670.5e12);   // not 3341
  EXPECT_DOUBLE_EQ(device("rtx-a6000").peak_of(Compute::bf16), 154.8e12);  // not 309.7
  EXPECT_DOUBLE_EQ(device("gb200").peak_of(Compute::bf16), 2500e12);       // not 5000
  EXPECT_DOUBLE_EQ(device("gb300").peak_of(Compute::fp4), 15000e12);       // not 20000
  EXPECT_DOUBLE_EQ(device("mi355x").peak_of(Compute::fp8), 5033.2e12);     // not 10066
  EXPECT_DOUBLE_EQ(device("trainium2").peak_of(Compute::fp8), 1299e12);    // not 2563
}

TEST(DeviceTable, HalfPrecisionAccumulationStandsApart) {
  EXPECT_DOUBLE_EQ(device("rtx-4090").peak_of(Compute::bf16), 165.15e12);
  EXPECT_DOUBLE_EQ(device("rtx-4090").peak_fp16_acc16, 330.3e12);
  EXPECT_DOUBLE_EQ(device("rtx-4090").peak_of(Compute::fp8), 330.3e12);
  EXPECT_DOUBLE_EQ(device("rtx-4090").peak_fp8_acc16, 660.6e12);
  EXPECT_DOUBLE_EQ(device("rtx-3090").peak_of(Compute::fp16), 71.16e12);
}

TEST(DeviceTable, NoFp8BeforeAdaAndHopper) {
  for (const Device& d : built_in_catalogue().devices) {
    for (std::string_view old : {"Ampere", "Turing", "Volta", "Pascal", "CDNA1", "CDNA2"}) {
      if (d.architecture.rfind(old, 0) == 0) {
        EXPECT_EQ(d.peak_of(Compute::fp8), 0) << d.id;
      }
    }
  }
  EXPECT_EQ(promote(device("a100-sxm-80"), Element::fp8), Compute::bf16);
  EXPECT_EQ(promote(device("a100-sxm-80"), Element::int4), Compute::int4);
  EXPECT_EQ(promote(device("h100-nvl"), Element::int4), Compute::int8);  // no INT4 units on Hopper
  EXPECT_EQ(promote(device("h100-nvl"), Element::fp4), Compute::fp8);
  EXPECT_EQ(promote(device("arc-pro-b60"), Element::fp8), Compute::bf16);
}

// FP16 at 1/64 of FP32 is no step of the ladder.
TEST(DeviceTable, SlowHalvesAreLeftOut) {
  EXPECT_EQ(promote(device("p40"), Element::fp16), Compute::fp32);
  EXPECT_EQ(promote(device("gtx-1080ti"), Element::bf16), Compute::fp32);
  EXPECT_EQ(promote(device("p100-sxm2"), Element::bf16), Compute::fp16);
}

// What other tools' tables got wrong (docs/data.md section 2).
TEST(DeviceTable, PeersMistakesAreNotOurs) {
  EXPECT_DOUBLE_EQ(device("h100-sxm").bytes_per_s, 3.35e12);               // xformers: TB as 2^40
  EXPECT_DOUBLE_EQ(device("t4").bytes_per_s, 320e9);                       // xformers: 300
  EXPECT_DOUBLE_EQ(device("rtx-5090").bytes_per_s, 1.792e12);              // torchao: 1.792e15
  EXPECT_DOUBLE_EQ(device("l4").bytes_per_s, 300e9);                       // inductor: 3350
  EXPECT_DOUBLE_EQ(device("a10g").peak_of(Compute::bf16), 70e12);          // Lightning: 125
  EXPECT_DOUBLE_EQ(device("gh200-96").peak_of(Compute::bf16), 989.4e12);   // GenZ: 1979
  EXPECT_DOUBLE_EQ(device("a10").capacity_bytes, 23028.0 * 1048576);       // llm-analysis: 28 GB
  EXPECT_NEAR(device("v100-sxm2-16").capacity_bytes, 16.9e9, 0.1e9);       // llm-analysis: 32 GB
  EXPECT_EQ(device("h100-nvl").peak_of(Compute::int4), 0);                 // llm-analysis: INT4
  EXPECT_DOUBLE_EQ(device("m2-pro").peak_of(Compute::fp16), 6.8e12);       // huggingface.js: 13.6
  EXPECT_DOUBLE_EQ(device("mi325x").capacity_bytes, std::ldexp(256, 30));  // gpuhunt: 288
  EXPECT_EQ(device("core-i9-13900k").peak_of(Compute::fp16), 0);           // LLM-Viewer: AVX-512
}

// hardware notes: ridge 212, FP8 424; H100 SXM 295.
TEST(DeviceTable, RidgesOfTheFoundingBox) {
  EXPECT_NEAR(ridge(device("h100-nvl"), Compute::bf16), 835.5 / 3.938, 1e-9);
  EXPECT_NEAR(ridge(device("h100-nvl"), Compute::fp8), 424.2, 0.05);
  EXPECT_NEAR(ridge(device("h100-sxm"), Compute::bf16), 295.3, 0.05);
  EXPECT_NEAR(device("h100-nvl").max_clock_factor, 978 / 835.5, 1e-12);
  EXPECT_NEAR(device("h100-sxm").max_clock_factor, 1980.0 / 1830, 1e-12);
  EXPECT_EQ(device("l4").max_clock_factor, 1);
}

TEST(AliasTable, IdsExist) {
  std::set<std::string> seen;
  each_row(embedded::aliases_csv, [&](const CsvTable& t) {
    const std::string id = text_at(t, "device_id");
    if (id.empty()) {
      EXPECT_FALSE(text_at(t, "disambiguation").empty()) << t.where();
    } else {
      EXPECT_NE(built_in_catalogue().find(id), nullptr) << t.where() << " " << id;
    }
    EXPECT_FALSE(text_at(t, "tool").empty()) << t.where();
    EXPECT_TRUE(seen.insert(text_at(t, "tool") + "|" + text_at(t, "string")).second) << t.where();
  });
}

TEST(CloudTable, IdsExist) {
  std::set<std::string> seen;
  const int rows = each_row(embedded::cloud_csv, [&](const CsvTable& t) {
    EXPECT_NE(built_in_catalogue().find(text_at(t, "device_id")), nullptr) << t.where();
    EXPECT_FALSE(text_at(t, "source").empty()) << t.where();
    EXPECT_TRUE(seen.insert(text_at(t, "provider") + text_at(t, "instance")).second) << t.where();
  });
  EXPECT_EQ(static_cast<std::size_t>(rows), built_in_catalogue().instances.size());
}

TEST(LinkTable, OneWayAndSourced) {
  each_row(embedded::links_csv, [&](const CsvTable& t) {
    EXPECT_FALSE(text_at(t, "source").empty()) << t.where();
    EXPECT_GE(number_at(t, "size"), 2) << t.where();
    EXPECT_GT(number_at(t, "latency_us"), 0) << t.where();
    if (const double peer = number_at(t, "peer_gbs"); peer > 0) {
      EXPECT_LE(peer, number_at(t, "uni_gbs")) << t.where();
    }
    std::string ids = text_at(t, "devices");
    for (std::size_t at = 0; at < ids.size();) {
      const std::size_t end = std::min(ids.find(' ', at), ids.size());
      EXPECT_NE(built_in_catalogue().find(ids.substr(at, end - at)), nullptr) << t.where();
      at = end + 1;
    }
  });
}

TEST(LinkTable, LevelsOfKnownMachines) {
  const auto& nvl = device("h100-nvl").links;
  ASSERT_EQ(nvl.size(), 2u);
  EXPECT_EQ(nvl[0].size, 2);
  EXPECT_DOUBLE_EQ(nvl[0].bytes_per_s, 300e9);  // 600 both ways
  EXPECT_EQ(nvl[1].name, "PCIe 5.0 x16");
  EXPECT_EQ(nvl[1].size, 0);
  EXPECT_DOUBLE_EQ(nvl[1].bytes_per_s, 63e9);
  EXPECT_EQ(device("h100-sxm").links[0].size, 8);
  EXPECT_DOUBLE_EQ(device("h100-sxm").links[0].bytes_per_s, 450e9);
  EXPECT_DOUBLE_EQ(device("h800-sxm").links[0].bytes_per_s, 200e9);
  EXPECT_DOUBLE_EQ(device("a100-sxm-80").links[0].bytes_per_s, 300e9);
  EXPECT_EQ(device("gb200").links[0].size, 72);
  EXPECT_DOUBLE_EQ(device("b200").links[0].bytes_per_s, 900e9);
  EXPECT_DOUBLE_EQ(device("rtx-3090").links[0].bytes_per_s, 56.25e9);
  for (const char* id : {"l40", "l40s", "rtx-4090", "rtx-5090", "rtx-pro-6000-ws"}) {
    EXPECT_EQ(device(id).links.size(), 1u) << id << " has no NVLink";
  }
  EXPECT_TRUE(device("m3-max-40").links.empty());
  for (const Device& d : built_in_catalogue().devices) {
    for (std::size_t i = 0; i < d.links.size(); ++i) {
      EXPECT_GT(d.links[i].bytes_per_s, 0) << d.id;
      EXPECT_TRUE(d.links[i].size > 1 || i + 1 == d.links.size()) << d.id;
    }
  }
}

// MI300X: one link of 64 GB/s to each of 7 neighbours, so 64 for a pair, 192 for four, 448 for all.
TEST(LinkTable, MeshesGiveAGroupItsOwnLinks) {
  const Catalogue& c = built_in_catalogue();
  const Device& d = device("mi300x");
  EXPECT_DOUBLE_EQ(links_within(c, d, 2)[0].bytes_per_s, 64e9);
  EXPECT_DOUBLE_EQ(links_within(c, d, 4)[0].bytes_per_s, 192e9);
  EXPECT_DOUBLE_EQ(links_within(c, d, 8)[0].bytes_per_s, 448e9);
  EXPECT_DOUBLE_EQ(links_within(c, device("h100-sxm"), 2)[0].bytes_per_s, 450e9);
}

TEST(MaxClockTable, AgreesWithTheDevices) {
  each_row(embedded::max_clock_csv, [&](const CsvTable& t) {
    const std::string id = text_at(t, "device_id");
    EXPECT_NE(built_in_catalogue().find(id), nullptr) << id;
    EXPECT_FALSE(text_at(t, "source").empty()) << id;
    EXPECT_GT(device(id).max_clock_factor, 1) << id;
  });
}

TEST(Catalogue, OwnRowsAddAndReplace) {
  CatalogueText text = built_in_tables();
  text.extra_devices = "id,name,mem_bw_gbs,bf16\nmine,My card,500,100\nl4,L4 as measured,280,110\n";
  const auto c = parse_catalogue(text);
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(c->devices.size(), built_in_catalogue().devices.size() + 1);
  EXPECT_DOUBLE_EQ(c->find("mine")->peak_of(Compute::bf16), 1e14);
  EXPECT_DOUBLE_EQ(c->find("l4")->bytes_per_s, 280e9);
  EXPECT_EQ(find_machine(*c, "NVIDIA L4")->device.name, "L4 as measured");
  EXPECT_EQ(find_machine(*c, "my card")->device.id, "mine");
}

TEST(Catalogue, TableErrorsNameTheLine) {
  const auto error = [](std::string_view devices) {
    CatalogueText text;
    text.devices = devices;
    const auto c = parse_catalogue(text);
    EXPECT_FALSE(c.has_value()) << devices;
    return c ? Error{} : c.error();
  };
  EXPECT_EQ(error("name\nx\n").where, "devices.csv");
  EXPECT_EQ(error("id,mem_bw_gbs\na,1\nb,fast\n").where, "devices.csv:3");
  EXPECT_EQ(error("id,mem_bw_gbs\na,-1\n").where, "devices.csv:2");
  EXPECT_EQ(error("id,mem_bw_gbs\na,0\n").code, ErrorCode::invalid);
  EXPECT_EQ(error("id,mem_bw_gbs\na,1\na,2\n").code, ErrorCode::invalid);
  EXPECT_EQ(error("id,mem_bw_gbs\n,1\n").code, ErrorCode::malformed);
  EXPECT_EQ(error("id,mem_bw_gbs\na,nan\n").code, ErrorCode::malformed);
}

TEST(Catalogue, AnEmptyOneFindsNothing) {
  const Catalogue c;
  EXPECT_EQ(find_machine(c, "h100-nvl").error().code, ErrorCode::not_found);
  EXPECT_TRUE(list_devices(c, "").empty());
}

}  // namespace
}  // namespace rooflens
