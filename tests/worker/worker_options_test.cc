#include "worker/worker_options.h"

#include <functional>
#include <string>

#include "gtest/gtest.h"

namespace quire {
namespace {

WorkerOptions Good() {
  WorkerOptions options;
  options.model = "model.gguf";
  return options;
}

TEST(WorkerOptionsTest, DefaultsAreValidOnceAModelIsNamed) {
  EXPECT_EQ(Good().Validate(), absl::OkStatus());
}

TEST(WorkerOptionsTest, AddressMayBeASocket) {
  WorkerOptions options = Good();
  options.scheduler = "unix:/run/quire.sock";
  EXPECT_EQ(options.Validate(), absl::OkStatus());
  options.scheduler = "scheduler.default.svc:8301";
  EXPECT_EQ(options.Validate(), absl::OkStatus());
  options.scheduler = "[::1]:8301";
  EXPECT_EQ(options.Validate(), absl::OkStatus());
}

TEST(WorkerOptionsTest, ComputeImpliesTheKvType) {
  WorkerOptions options = Good();
  EXPECT_EQ(ToModelOptions(options)->kv_dtype, KvDtype::kBf16);
  options.compute = "f32";
  EXPECT_EQ(ToModelOptions(options)->compute, Compute::kF32);
  EXPECT_EQ(ToModelOptions(options)->kv_dtype, KvDtype::kF32);
}

TEST(WorkerOptionsTest, InstructionSetIsTheBestUnlessNamed) {
  WorkerOptions options = Good();
  EXPECT_EQ(ToModelOptions(options)->instruction_set, BestInstructionSet());
  options.instruction_set = "scalar";
  EXPECT_EQ(ToModelOptions(options)->instruction_set, InstructionSet::kScalar);
}

TEST(WorkerOptionsTest, HostBlocksMayBeLeftOut) {
  WorkerOptions options = Good();
  options.host_kv_memory = "0";
  EXPECT_EQ(options.Validate(), absl::OkStatus());
  options.host_kv_memory = "1.5GiB";
  EXPECT_EQ(options.Validate(), absl::OkStatus());
}

struct BadOptions {
  const char* name;
  const char* message;
  std::function<void(WorkerOptions*)> spoil;
};

class WorkerOptionsRefusalTest : public testing::TestWithParam<BadOptions> {};

TEST_P(WorkerOptionsRefusalTest, NamesTheFlag) {
  WorkerOptions options = Good();
  GetParam().spoil(&options);
  const absl::Status status = options.Validate();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), GetParam().message);
}

const BadOptions kBad[] = {
    {"NoModel", "--model is missing: name a GGUF file or a Hugging Face folder",
     [](WorkerOptions* o) { o->model = ""; }},
    {"AddressWithoutPort",
     "--scheduler is \"localhost\", must be HOST:PORT or unix:PATH of at most "
     "107 bytes",
     [](WorkerOptions* o) { o->scheduler = "localhost"; }},
    {"PortOutOfRange",
     "--scheduler is \"localhost:70000\", must be HOST:PORT or unix:PATH of at "
     "most 107 bytes",
     [](WorkerOptions* o) { o->scheduler = "localhost:70000"; }},
    {"AddressWithoutHost",
     "--scheduler is \":8301\", must be HOST:PORT or unix:PATH of at most 107 "
     "bytes",
     [](WorkerOptions* o) { o->scheduler = ":8301"; }},
    {"SocketWithoutPath",
     "--scheduler is \"unix:\", must be HOST:PORT or unix:PATH of at most 107 "
     "bytes",
     [](WorkerOptions* o) { o->scheduler = "unix:"; }},
    {"TooManyRanks", "--world_size is \"65\", must be 1 to 64",
     [](WorkerOptions* o) { o->world_size = 65; }},
    {"Rank", "--rank is \"2\", must be 0 to one less than --world_size",
     [](WorkerOptions* o) {
       o->rank = 2;
       o->world_size = 2;
     }},
    {"Communicator", "--communicator is \"mpi\", must be shm or gloo",
     [](WorkerOptions* o) { o->communicator = "mpi"; }},
    {"CommunicatorHost",
     "--communicator_host is \"\", must be a name or address of this machine",
     [](WorkerOptions* o) { o->communicator_host = ""; }},
    {"CollectiveTimeout", "--collective_timeout is \"0\", must be 100ms to 24h",
     [](WorkerOptions* o) { o->collective_timeout = absl::ZeroDuration(); }},
    {"Threads", "--threads is \"-1\", must be 0 (automatic) to 1024",
     [](WorkerOptions* o) { o->threads = -1; }},
    {"Compute", "--compute is \"f16\", must be auto or f32",
     [](WorkerOptions* o) { o->compute = "f16"; }},
    {"KvDtype", "--kv_dtype is \"int8\", must be auto, f32 or bf16",
     [](WorkerOptions* o) { o->kv_dtype = "int8"; }},
    {"KvDtypeAgainstCompute",
     "--kv_dtype is \"bf16\", must be f32 or auto where --compute is f32",
     [](WorkerOptions* o) {
       o->compute = "f32";
       o->kv_dtype = "bf16";
     }},
    {"KvCacheMemory",
     "--kv_cache_memory: \"much\" is no size; write bytes, or a number with "
     "KiB, MiB, GiB or TiB, such as 2GiB",
     [](WorkerOptions* o) { o->kv_cache_memory = "much"; }},
    {"HostKvMemory",
     "--host_kv_memory: \"none\" is no size; write bytes, or a number with "
     "KiB, MiB, GiB or TiB, such as 2GiB",
     [](WorkerOptions* o) { o->host_kv_memory = "none"; }},
    {"InstructionSet",
     "--instruction_set is \"neon\", must be auto, scalar, avx2, avx512 or amx",
     [](WorkerOptions* o) { o->instruction_set = "neon"; }},
};

INSTANTIATE_TEST_SUITE_P(Flags, WorkerOptionsRefusalTest,
                         testing::ValuesIn(kBad),
                         [](const testing::TestParamInfo<BadOptions>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace quire
