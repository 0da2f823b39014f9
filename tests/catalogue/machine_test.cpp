// find_machine: names that tools print, traps of names, ambiguity, typing errors.
#include <gtest/gtest.h>

#include "rooflens/catalogue/candidates.h"
#include "rooflens/catalogue/catalogue.h"
#include "rooflens/catalogue/names.h"

namespace rooflens {
namespace {

const Catalogue& c() { return built_in_catalogue(); }

std::string id_of(std::string_view text) {
  const auto m = find_machine(c(), text);
  return m ? m->device.id : "error: " + m.error().message;
}

int count_of(std::string_view text) {
  const auto m = find_machine(c(), text);
  return m ? m->count : -1;
}

Error error_of(std::string_view text) {
  const auto m = find_machine(c(), text);
  EXPECT_FALSE(m.has_value()) << text << " -> " << (m ? m->device.id : "");
  return m ? Error{} : m.error();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Machine, EveryIdAndName) {
  for (const Device& d : c().devices) {
    EXPECT_EQ(id_of(d.id), d.id);
    const auto m = find_machine(c(), d.name);
    if (m) {
      EXPECT_EQ(m->device.id, d.id) << d.name;
    } else {
      EXPECT_EQ(m.error().code, ErrorCode::ambiguous) << d.name;
      EXPECT_TRUE(has(m.error().message, d.id + " ")) << m.error().message;
    }
  }
}

// Each alias leads to its device, or to a list that holds it where the table says it is ambiguous.
TEST(Machine, EveryAlias) {
  int found = 0, ambiguous = 0;
  for (const Alias& a : c().aliases) {
    for (const std::string& text : {a.text, "  " + a.text + " ", "4x " + a.text}) {
      const auto m = find_machine(c(), text);
      if (a.device < 0) {
        EXPECT_FALSE(m.has_value()) << text;
        continue;
      }
      const Device& d = c().devices[static_cast<std::size_t>(a.device)];
      if (m) {
        EXPECT_EQ(m->device.id, d.id) << text;
        ++found;
      } else {
        EXPECT_EQ(m.error().code, ErrorCode::ambiguous) << text << ": " << m.error().message;
        EXPECT_FALSE(a.caution.empty()) << text;
        EXPECT_TRUE(has(m.error().message, d.id + " ")) << text;
        ++ambiguous;
      }
    }
  }
  EXPECT_GT(found, 800);
  EXPECT_LT(ambiguous, 60);
}

TEST(Machine, EveryCloudInstance) {
  for (const CloudInstance& i : c().instances) {
    for (const std::string& text : {i.name, i.provider + " " + i.name}) {
      const auto m = find_machine(c(), text);
      ASSERT_TRUE(m) << text << ": " << m.error().message;
      EXPECT_EQ(m->device.id, c().devices[static_cast<std::size_t>(i.device)].id) << text;
      EXPECT_EQ(m->count, i.count) << text;
    }
  }
  EXPECT_EQ(count_of("p5.4xlarge"), 1);
  EXPECT_EQ(id_of("g5.xlarge"), "a10g");
  EXPECT_EQ(id_of("g6.xlarge"), "l4");
  EXPECT_EQ(id_of("g6e.xlarge"), "l40s");
  EXPECT_EQ(id_of("NC80adis_H100_v5"), "h100-nvl");  // Azure's list calls it "H100 80GB"
  EXPECT_EQ(count_of("NC80adis_H100_v5"), 2);
  EXPECT_EQ(count_of("2x p5.48xlarge"), 16);
}

// Substrings are no matches: docs/data.md section 5.
TEST(Machine, WordsAreNeverCut) {
  EXPECT_EQ(id_of("L4"), "l4");
  EXPECT_EQ(id_of("NVIDIA L40"), "l40");
  EXPECT_EQ(id_of("nvidia l40s"), "l40s");
  EXPECT_EQ(id_of("A10"), "a10");
  EXPECT_EQ(id_of("NVIDIA A10G"), "a10g");
  EXPECT_EQ(id_of("A40"), "a40");
  EXPECT_EQ(id_of("RTX A4000"), "rtx-a4000");
  EXPECT_EQ(id_of("Tesla T4"), "t4");
  EXPECT_EQ(error_of("NVIDIA T400").code, ErrorCode::not_found);
  EXPECT_EQ(id_of("H20"), "h20");
  EXPECT_EQ(id_of("NVIDIA H200"), "h200-sxm");
  EXPECT_EQ(id_of("H200 NVL"), "h200-nvl");
  EXPECT_EQ(id_of("B200"), "b200");
  EXPECT_EQ(id_of("GB200"), "gb200");
  EXPECT_EQ(id_of("RTX 4070"), "rtx-4070");
  EXPECT_EQ(id_of("RTX 4070 Ti"), "rtx-4070ti");
  EXPECT_EQ(id_of("RTX 4070 Ti SUPER"), "rtx-4070ti-super");
  EXPECT_EQ(id_of("Apple M2 Max"), "m2-max");  // not the cores of its CPU
  EXPECT_EQ(id_of("GB10"), "gb10");
  EXPECT_EQ(id_of("GB10 Grace CPU"), "gb10-cpu");
  EXPECT_EQ(id_of("rtx4090"), "rtx-4090");
  EXPECT_EQ(id_of("RTX 4090 D"), "rtx-4090d");
  EXPECT_EQ(id_of("RX 7900 XTX"), "rx-7900xtx");
  EXPECT_EQ(id_of("7900 XT"), "rx-7900xt");
  EXPECT_EQ(id_of("NVIDIA A10  0 "), "a10");  // "A10" then "0" is not A100
}

// Other silicon that is not in the table is not found, and never taken for its neighbour.
TEST(Machine, QualifiersAreNeverSkipped) {
  for (const char* text :
       {"RTX 3070 Ti", "RTX 4090 Laptop GPU", "NVIDIA GeForce RTX 4060",
        "NVIDIA GeForce RTX 4080 Laptop GPU", "RTX 5090 D", "A100X", "RTX 8000 Ada"}) {
    const Error e = error_of(text);
    EXPECT_EQ(e.code, ErrorCode::not_found) << text;
    EXPECT_FALSE(e.hint.empty()) << text;
  }
  EXPECT_TRUE(has(error_of("RTX 3070 Ti").hint, "rtx-3070"));
}

TEST(Machine, NamesAsToolsPrintThem) {
  EXPECT_EQ(id_of("NVIDIA H100 80GB HBM3"), "h100-sxm");
  EXPECT_EQ(id_of("NVIDIA H100 PCIe"), "h100-pcie");
  EXPECT_EQ(id_of("NVIDIA B300 SXM6 AC"), "b300");
  EXPECT_EQ(id_of("GH200 480GB"), "gh200-96");
  EXPECT_EQ(id_of("NVIDIA GH200 144G HBM3e"), "gh200-144");
  EXPECT_EQ(id_of("GPU 0: NVIDIA H100 NVL (UUID: GPU-1b2c3d4e-a100-4090-b200-0123456789ab)"),
            "h100-nvl");
  EXPECT_EQ(id_of("NVIDIA-SMI 570.86 | 0  NVIDIA H100 NVL   On | 00000000:17:00.0 Off |"),
            "h100-nvl");
  EXPECT_EQ(id_of("Intel(R) Xeon(R) Platinum 8480+"), "xeon-8480");
  EXPECT_EQ(id_of("AMD Ryzen 9 9950X 16-Core Processor"), "ryzen-9950x");
  EXPECT_EQ(id_of("AMD RYZEN AI MAX+ 395 w/ Radeon 8060S"), "strix-halo");
  EXPECT_EQ(id_of("Apple M3 Max (40-core GPU)"), "m3-max-40");
  EXPECT_EQ(id_of("AMD Instinct MI300X OAM"), "mi300x");
  EXPECT_EQ(error_of("AMD EPYC").code, ErrorCode::not_found);
  EXPECT_TRUE(has(error_of("AMD EPYC").hint, "measure"));
}

TEST(Machine, PciNames) {
  EXPECT_EQ(id_of("10de:2321"), "h100-nvl");
  EXPECT_EQ(id_of("H100L 94GB"), "h100-nvl");
  EXPECT_EQ(id_of("17:00.0 3D controller: NVIDIA Corporation GH100 [H100L 94GB] (rev a1)"),
            "h100-nvl");
  EXPECT_EQ(id_of("0000:17:00.0 3D controller [0302]: NVIDIA Corporation GA100 [10DE:20B5]"),
            "a100-pcie-80");
  EXPECT_EQ(id_of("65:00.0 3D controller: NVIDIA Corporation GA100 [A100 PCIe 80GB] (rev a1)"),
            "a100-pcie-80");
  EXPECT_EQ(error_of("1002:744c").code, ErrorCode::ambiguous);  // 7900 XTX, XT, GRE
  EXPECT_EQ(error_of("10de:ffff").code, ErrorCode::not_found);
}

TEST(Machine, AmbiguousNamesListTheirCandidates) {
  const Error h100 = error_of("H100");
  EXPECT_EQ(h100.code, ErrorCode::ambiguous);
  for (const char* part : {"h100-sxm ", "h100-pcie ", "h100-nvl ", "3.35 TB/s", "3.938 TB/s",
                           "BF16 295", "BF16 212", "FP8 424", "100.5 GB"}) {
    EXPECT_TRUE(has(h100.message, part)) << part << " in\n" << h100.message;
  }
  EXPECT_FALSE(has(h100.message, "h200"));
  EXPECT_TRUE(has(h100.hint, "pick one"));
  for (const char* text : {"A100", "a100-80gb", "A100 80GB", "h100-80gb", "H100 80GB", "RTX 3080",
                           "NVIDIA GeForce RTX 3080", "RTX 6000", "M3 Max", "Apple M4 Max", "GH200",
                           "Orin", "V100", "MI300", "PRO 6000", "hopper", "8x A100"}) {
    EXPECT_EQ(error_of(text).code, ErrorCode::ambiguous) << text;
  }
  EXPECT_TRUE(has(error_of("RTX 3080").message, "rtx-3080-12"));
  EXPECT_TRUE(has(error_of("A100 80GB").message, "a100-pcie-80"));
  EXPECT_FALSE(has(error_of("A100 80GB").message, "a100-sxm-40"));
}

TEST(Machine, MemoryAndCoresDecide) {
  EXPECT_EQ(id_of("NVIDIA GeForce RTX 3080, 12288 MiB"), "rtx-3080-12");
  EXPECT_EQ(id_of("NVIDIA GeForce RTX 3080, 10240 MiB"), "rtx-3080-10");
  EXPECT_EQ(id_of("RTX 3080 10GB"), "rtx-3080-10");
  EXPECT_EQ(id_of("Apple M3 Max 30-core"), "m3-max-30");
  EXPECT_EQ(id_of("M3 Max 128GB"), "m3-max-40");
  EXPECT_EQ(id_of("A100 PCIe 40GB"), "a100-pcie-40");
  EXPECT_EQ(id_of("H100 NVL 94GB"), "h100-nvl");
  EXPECT_EQ(id_of("B200 180GB"), "b200");  // 180 GiB and 192 GB are the same memory
  EXPECT_EQ(id_of("B200 192GB"), "b200");
  const Error e = error_of("RTX 4060 Ti 8GB");  // only the 16 GB card is in the table
  EXPECT_EQ(e.code, ErrorCode::not_found);
  EXPECT_TRUE(has(e.message, "rtx-4060ti-16"));
}

TEST(Machine, Counts) {
  EXPECT_EQ(count_of("h100-nvl"), 0);
  EXPECT_EQ(count_of("4x H100 NVL"), 4);
  EXPECT_EQ(count_of("8xh100-sxm"), 8);
  EXPECT_EQ(count_of("8 x NVIDIA A100-SXM4-80GB"), 8);
  EXPECT_EQ(count_of("2\xC3\x97 rtx-3090"), 2);
  EXPECT_EQ(count_of("H100 NVL x4"), 4);
  EXPECT_EQ(count_of("A100 80GB PCIe x16"), 0);  // lanes
  EXPECT_EQ(count_of("2x ddr5-5600x8"), 2);
  EXPECT_FALSE(find_machine(c(), "0x h100-nvl").has_value());
}

TEST(Machine, WholeOutputs) {
  const char* smi =
      "| NVIDIA-SMI 570.86.15   Driver Version: 570.86.15   CUDA Version: 12.8 |\n"
      "|=========================================+========================+===|\n"
      "|   0  NVIDIA H100 NVL                On  |   00000000:17:00.0 Off |   |\n"
      "| N/A   38C    P0             62W /  400W |   89513MiB /  95830MiB |   |\n"
      "|   1  NVIDIA H100 NVL                On  |   00000000:65:00.0 Off |   |\n"
      "|    0   N/A  N/A      1234      C   python3                 89504MiB |\n";
  EXPECT_EQ(id_of(smi), "h100-nvl");
  EXPECT_EQ(count_of(smi), 2);
  EXPECT_EQ(count_of("GPU 0: NVIDIA L4 (UUID: GPU-1)\nGPU 1: NVIDIA L4 (UUID: GPU-2)\n"), 2);
  EXPECT_EQ(count_of("GPU[0] : Card Series: AMD Instinct MI300X OAM\n"
                     "GPU[0] : Card Model: AMD Instinct MI300X OAM\n"
                     "GPU[1] : Card Series: AMD Instinct MI300X OAM\n"),
            2);
  EXPECT_EQ(error_of("GPU 0: NVIDIA L4\nGPU 1: Tesla T4\n").code, ErrorCode::ambiguous);
  EXPECT_EQ(id_of("name, memory.total [MiB]\nNVIDIA GeForce RTX 3080, 12288 MiB\n"), "rtx-3080-12");
}

TEST(Machine, SlicesAreRefused) {
  EXPECT_EQ(error_of("NVIDIA H100 80GB HBM3 MIG 1g.10gb").code, ErrorCode::unsupported);
  EXPECT_EQ(error_of("NVIDIA A10-4Q").code, ErrorCode::unsupported);
}

TEST(Machine, TypingErrorsGetANearestName) {
  EXPECT_TRUE(has(error_of("h100-sxmm").hint, "h100-sxm"));
  EXPECT_TRUE(has(error_of("rtx-4900").hint, "rtx-40"));
  EXPECT_TRUE(has(error_of("p5.48xlage").hint, "p5.48xlarge"));
  EXPECT_TRUE(has(error_of("g5.2xlarge").hint, "g5."));
  EXPECT_TRUE(has(error_of("stix halo").hint, "strix-halo"));
  EXPECT_TRUE(has(error_of("qwertyuiop").hint, "rooflens devices"));
}

TEST(Machine, HostileText) {
  for (const std::string& text :
       {std::string(), std::string("   "), std::string("\0\1\2", 3), std::string(70000, 'a'),
        std::string(60000, '4'), std::string(20000, '['), std::string("x"), std::string("="),
        std::string(",,,"), std::string("\xFF\xFE\xC3"), std::string("99999999999999999x a100"),
        std::string("1x"), std::string("x4"), std::string(" x99999999")}) {
    EXPECT_FALSE(find_machine(c(), text).has_value()) << text.substr(0, 40);
  }
  std::string lines;
  for (int i = 0; i < 2000; ++i) lines += "NVIDIA L4\n";
  EXPECT_EQ(count_of(lines), 2000);
}

TEST(Machine, ProvidersThatDiffer) {
  CatalogueText text = built_in_tables();
  text.cloud = "provider,instance,device_id,count,source,note\nA,gpu1,l4,1,s,\nB,gpu1,t4,2,s,\n";
  const auto two = parse_catalogue(text);
  ASSERT_TRUE(two);
  EXPECT_EQ(find_machine(*two, "gpu1").error().code, ErrorCode::ambiguous);
  EXPECT_EQ(find_machine(*two, "B gpu1")->count, 2);
}

TEST(Devices, Listing) {
  EXPECT_EQ(list_devices(c(), "").size(), c().devices.size());
  const auto list = list_devices(c(), "NVIDIA hbm3e");
  EXPECT_GE(list.size(), 8u);
  for (const Device* d : list) EXPECT_EQ(d->memory_type, "HBM3e") << d->id;
  EXPECT_EQ(list_devices(c(), "h100").size(), 4u);
  EXPECT_TRUE(list_devices(c(), "no such thing").empty());
}

TEST(Names, Distances) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
  EXPECT_EQ(edit_distance("abcd", "acbd"), 1u);  // neighbours swapped
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(canonical_name("NVIDIA GeForce RTX 4090"), "rtx4090");
  EXPECT_EQ(canonical_name("A10 0"), "a10-0");
  for (const Alias& a : c().aliases) {
    const auto words = name_words(a.text);
    EXPECT_EQ(canonical_name(a.text), join_words(words, 0, words.size())) << a.text;
  }
  EXPECT_DOUBLE_EQ(likeness("l40s", "L40S"), 1);
  EXPECT_EQ(likeness("", "x"), 0);
}

}  // namespace
}  // namespace rooflens
