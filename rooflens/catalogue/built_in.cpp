#include "rooflens/catalogue/built_in.h"

#include "rooflens/catalogue/catalogue.h"

namespace rooflens {

CatalogueText built_in_tables() {
  CatalogueText t;
  t.devices = embedded::devices_csv;
  t.aliases = embedded::aliases_csv;
  t.cloud = embedded::cloud_csv;
  t.links = embedded::links_csv;
  t.max_clock = embedded::max_clock_csv;
  return t;
}

const Catalogue& built_in_catalogue() {
  // The tables are checked row by row by the tests; a table that does not parse is empty here.
  static const Catalogue kCatalogue = parse_catalogue(built_in_tables()).value_or(Catalogue{});
  return kCatalogue;
}

}  // namespace rooflens
