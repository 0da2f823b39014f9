// What rooflens knows about machines: the tables of data/hardware, and the ways to name a machine.
//
// Peaks are dense, with FP32 accumulation, at the stated clock; bytes per second are decimal and,
// on links, one direction; capacity is what the driver reports. docs/data.md tells where every
// figure comes from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflens/core/device.h"
#include "rooflens/core/result.h"

namespace rooflens {

// A string that some tool prints, or that people type, for a device.
struct Alias {
  std::string tool, text;
  int device = -1;      // index into Catalogue::devices; -1 = no single device can be told
  std::string caution;  // what else the string can mean
};

// A rented machine.
struct CloudInstance {
  std::string provider, name;
  int device = -1;  // index into Catalogue::devices
  int count = 1;
  std::string source, note;
};

struct Catalogue {
  std::vector<Device> devices;
  std::vector<double> peer_bytes_per_s;  // by device: a full mesh's link to one peer; 0 = no mesh
  std::vector<Alias> aliases;
  std::vector<CloudInstance> instances;

  // The device with exactly this id, or null.
  [[nodiscard]] const Device* find(std::string_view id) const;
};

// The CSV texts a catalogue is made of; empty ones are left out. `extra_devices` has the columns of
// devices.csv (only id and mem_bw_gbs are required) and adds to it: a row with a known id replaces
// it.
struct CatalogueText {
  std::string_view devices, aliases, cloud, links, max_clock;
  std::string_view extra_devices;
};

// The tables built into the program.
[[nodiscard]] CatalogueText built_in_tables();

// Parses tables. Rows of the other tables that speak of an unknown device are left out, so that a
// device table of one's own works with the built-in rest. Errors carry "devices.csv:17".
[[nodiscard]] Result<Catalogue> parse_catalogue(const CatalogueText& text);

// The built-in catalogue, parsed at the first call (well under a millisecond).
[[nodiscard]] const Catalogue& built_in_catalogue();

// A device and, when the name said so, how many of them.
struct Machine {
  Device device;
  int count = 0;           // 0 = the name did not say
  std::string matched_as;  // the table entry that matched: "NVIDIA H100 NVL", "AWS p5.48xlarge"
  std::string caution;     // what the reader should know about that match; may be empty
};

// Finds the machine a text names. Accepted, first that fits:
//   h100-nvl                              an id, a device's name, or what people call it
//   NVIDIA H100 80GB HBM3                 what nvidia-smi, rocm-smi, sysctl, lspci, ... print, also
//                                         inside their line or whole output (devices are counted)
//   10de:2321                             a PCI id
//   4x H100 NVL                           a count before (or " x4" after) any of these
//   p5.48xlarge, AWS p5.48xlarge          a cloud instance, with its count
//   ddr5-5600x8, lpddr5x-8533x256bit      memory alone: MT/s and channels, or MT/s and width
//   bw=3.9TB/s,bf16=836T,mem=94GB         figures (docs/data.md section 5); also after any of the above,
//                                         which they then override: h100-nvl,bw=3.6TB/s
// Case and punctuation do not matter, words are never cut, and the longest entry wins.
// Errors: ambiguous (message lists the candidates with bandwidth, ridge and capacity), not_found
// (hint names the nearest), unsupported (a slice of a device), malformed and invalid (figures).
[[nodiscard]] Result<Machine> find_machine(const Catalogue& c, std::string_view text);

// Reads a device file: key=value words as above, separated by commas or line ends, '#' starts a
// comment. `where` names the file in errors.
[[nodiscard]] Result<Device> parse_device_text(std::string_view text, std::string_view where);

// Devices whose id, name, vendor, kind, architecture or memory holds every word of `filter`, in
// the table's order; all of them when it is empty.
[[nodiscard]] std::vector<const Device*> list_devices(const Catalogue& c, std::string_view filter);

// The links as `ranks` devices working together see them: in a full mesh (MI300X) a group of g
// reaches only (g-1) of the links. Other devices' links are returned as they stand.
[[nodiscard]] std::vector<Link> links_within(const Catalogue& c, const Device& d, int ranks);

}  // namespace rooflens
