// Machines given by figures: inline, after a name, in a file, by their memory.
#include <gtest/gtest.h>

#include "rooflens/catalogue/catalogue.h"

namespace rooflens {
namespace {

Result<Machine> find(std::string_view text) { return find_machine(built_in_catalogue(), text); }

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Figures, Inline) {
  const auto m = find(
      "bw=3.9TB/s,bf16=836T,fp8=1670T,mem=94GB,vec=60T,link=300GB/s,pcie=64GB/s,group=2,launch=1us,"
      "latency=5us,name=box");
  ASSERT_TRUE(m) << m.error().message;
  const Device& d = m->device;
  EXPECT_EQ(d.bytes_per_s, 3.9e12);
  EXPECT_EQ(d.peak_of(Compute::bf16), 836e12);
  EXPECT_EQ(d.peak_of(Compute::fp8), 1670e12);
  EXPECT_EQ(d.capacity_bytes, 94e9);
  EXPECT_EQ(d.vector_flops_per_s, 60e12);
  EXPECT_EQ(d.launch_s, 1e-6);
  EXPECT_EQ(d.name, "box");
  EXPECT_EQ(d.peak_origin, Origin::given);
  EXPECT_EQ(d.memory_origin, Origin::given);
  ASSERT_EQ(d.links.size(), 2u);
  EXPECT_EQ(d.links[0].size, 2);
  EXPECT_EQ(d.links[0].bytes_per_s, 300e9);
  EXPECT_EQ(d.links[0].latency_s, 5e-6);
  EXPECT_EQ(d.links[1].size, 0);
  EXPECT_EQ(d.links[1].bytes_per_s, 64e9);
  EXPECT_NEAR(ridge(d, Compute::bf16), 214.36, 0.01);  // 836 / 3.9
  EXPECT_EQ(m->count, 0);
}

TEST(Figures, BlanksAndCase) {
  const auto m = find(" BW = 3350 GB/s , BF16=989.4 TFLOPS ");
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(m->device.bytes_per_s, 3.35e12);
}

TEST(Figures, OverrideADevice) {
  const auto m = find("4x h100-nvl,bw=3.6TB/s");
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(m->device.id, "h100-nvl");
  EXPECT_EQ(m->count, 4);
  EXPECT_EQ(m->device.bytes_per_s, 3.6e12);
  EXPECT_EQ(m->device.memory_origin, Origin::given);
  EXPECT_EQ(m->device.peak_origin, Origin::datasheet);
  EXPECT_EQ(m->device.links[0].size, 2);  // untouched
  const auto wide = find("h100-nvl,group=4");
  EXPECT_EQ(wide->device.links[0].size, 4);
  const auto fabric = find("l40s,link=50GB/s,group=8");  // a new link over the card's own PCIe
  ASSERT_EQ(fabric->device.links.size(), 2u);
  EXPECT_EQ(fabric->device.links[1].name, "PCIe 4.0 x16");
  EXPECT_EQ(find("H100,bw=3TB/s").error().code, ErrorCode::ambiguous);
}

TEST(Figures, Refused) {
  const auto error = [](std::string_view text) {
    const auto m = find(text);
    EXPECT_FALSE(m.has_value()) << text;
    return m ? Error{} : m.error();
  };
  EXPECT_TRUE(has(error("bf16=836T").message, "bandwidth is missing"));
  EXPECT_TRUE(has(error("bw=3.9TB/s,bandwith=2").hint, "bandwidth"));
  EXPECT_TRUE(has(error("bw=3.9TB/s,menory=2GB").hint, "memory"));
  EXPECT_TRUE(has(error("bw=3.9TB/s,zzz=2").hint, "known are"));
  EXPECT_EQ(error("bw=1TB/s,bw=2TB/s").code, ErrorCode::malformed);
  EXPECT_EQ(error("bw=1TB/s,bandwidth=2TB/s").code, ErrorCode::malformed);
  EXPECT_EQ(error("bw=").code, ErrorCode::malformed);
  EXPECT_EQ(error("bw=3350").code, ErrorCode::invalid);  // 3350 bytes per second?
  EXPECT_EQ(error("bw=1TB/s,bf16=836").code, ErrorCode::invalid);
  EXPECT_EQ(error("bw=1TB/s,mem=94").code, ErrorCode::invalid);
  EXPECT_EQ(error("bw=-1TB/s").code, ErrorCode::invalid);
  EXPECT_EQ(error("bw=nan").code, ErrorCode::malformed);
  EXPECT_EQ(error("bw=1e999").code, ErrorCode::out_of_range);
  EXPECT_EQ(error("bw=836T,bf16=1TB/s").code, ErrorCode::malformed);
  EXPECT_EQ(error("bw=1TB/s,group=2").code, ErrorCode::invalid);
  EXPECT_EQ(error("bw=1TB/s,link=1GB/s,group=1").code, ErrorCode::invalid);
  EXPECT_EQ(error("bw=1TB/s,oops").code, ErrorCode::malformed);
  EXPECT_EQ(error("no such card,bw=1TB/s").code, ErrorCode::not_found);
  EXPECT_EQ(error("bw=1TB/s,max_clock=0.5").code, ErrorCode::invalid);
}

// 5600 MT/s x 8 bytes x 8 channels = 358.4 GB/s.
TEST(Figures, MemoryAlone) {
  const auto m = find("ddr5-5600x8");
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_DOUBLE_EQ(m->device.bytes_per_s, 358.4e9);
  EXPECT_EQ(m->device.memory_type, "DDR5");
  EXPECT_EQ(m->device.memory_origin, Origin::derived);
  EXPECT_EQ(m->device.capacity_bytes, 0);
  for (double p : m->device.peak) EXPECT_EQ(p, 0);
  EXPECT_DOUBLE_EQ(find("ddr4-3200x2")->device.bytes_per_s, 51.2e9);
  EXPECT_DOUBLE_EQ(find("DDR5 4800 MT/s x12")->device.bytes_per_s, 460.8e9);
  EXPECT_DOUBLE_EQ(find("ddr5-5600x2ch")->device.bytes_per_s, 89.6e9);
  EXPECT_DOUBLE_EQ(find("mrdimm-8800x12")->device.bytes_per_s, 844.8e9);
  EXPECT_DOUBLE_EQ(find("lpddr5x-8533x256bit")->device.bytes_per_s, 273.056e9);  // x 32 bytes
  const auto with = find("ddr5-5600x8,fp32=3T,mem=512GB");
  EXPECT_EQ(with->device.peak_of(Compute::fp32), 3e12);
  EXPECT_EQ(with->device.capacity_bytes, 512e9);
  EXPECT_EQ(promote(with->device, Element::bf16), Compute::fp32);
}

TEST(Figures, MemoryAloneRefused) {
  for (const char* text : {"ddr5-5600", "ddr5-5600x", "ddr5-5600x0", "ddr5-5600x65", "ddr5-5x8",
                           "ddr5-5600x8 sticks", "lpddr5x-8533x8", "lpddr5x-8533",
                           "ddr5-5600x256bit", "ddr5-99999999999x8", "ddr5-5600x-2"}) {
    const auto m = find(text);
    ASSERT_FALSE(m.has_value()) << text;
    EXPECT_FALSE(m.error().hint.empty()) << text;
  }
  EXPECT_EQ(find("ddr5")->device.id, "desktop-ddr5-6000");  // what people type
}

TEST(DeviceFile, WordsAndComments) {
  const auto d = parse_device_text(
      "\xEF\xBB\xBF# measured here\r\nname = my box\r\nbw = 3.7 TB/s   # read\n\nbf16=812T, "
      "fp8=1.6P\n"
      "mem=94GiB\norigin=measured\nvendor=NVIDIA,memory_type=HBM3\n",
      "box.device");
  ASSERT_TRUE(d) << d.error().message << d.error().where;
  EXPECT_EQ(d->name, "my box");
  EXPECT_EQ(d->id, "my box");
  EXPECT_EQ(d->bytes_per_s, 3.7e12);
  EXPECT_EQ(d->peak_of(Compute::fp8), 1.6e15);
  EXPECT_EQ(d->capacity_bytes, 94.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(d->peak_origin, Origin::measured);
  EXPECT_EQ(d->memory_origin, Origin::measured);
  EXPECT_EQ(d->memory_type, "HBM3");
}

TEST(DeviceFile, ErrorsNameTheLine) {
  const auto where = [](std::string_view text) {
    const auto d = parse_device_text(text, "f");
    EXPECT_FALSE(d.has_value()) << text;
    return d ? std::string() : d.error().where;
  };
  EXPECT_EQ(where("bw=1TB/s\nbf61=3T\n"), "f:2");
  EXPECT_EQ(where("bw=1TB/s\n\nmem=94Gb\n"), "f:3");
  EXPECT_EQ(where("bw=1TB/s\nbw=1TB/s"), "f:2");
  EXPECT_EQ(where("hello\n"), "f:1");
  EXPECT_EQ(where(""), "f");
  EXPECT_EQ(where("bw=1TB/s\norigin=heaven"), "f:2");
  EXPECT_EQ(where("bw=1TB/s\ngroup=2"), "f");
}

}  // namespace
}  // namespace rooflens
