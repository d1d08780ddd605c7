// What the environment of a launcher says, for the launchers of MPI and for none.
#include <callisto/machine/host/launcher.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

namespace callisto::machine {
namespace {

/// Has these variables of launchers, and no others, while it lives.
class environment {
 public:
  explicit environment(const std::map<std::string, std::string>& wanted) {
    for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PMI_SIZE",
                                   "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}) {
      if (const char* const value = std::getenv(name)) before_[name] = value;
      unsetenv(name);
    }
    for (const auto& [name, value] : wanted) setenv(name.c_str(), value.c_str(), 1);
    wanted_ = wanted;
  }
  ~environment() {
    for (const auto& [name, value] : wanted_) unsetenv(name.c_str());
    for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::map<std::string, std::string> before_;
  std::map<std::string, std::string> wanted_;
};

void expect(const std::map<std::string, std::string>& variables, launchers by, int rank, int ranks) {
  const environment set(variables);
  const launched_process found = launcher_of_process();
  EXPECT_EQ(found.by, by);
  EXPECT_EQ(found.rank, rank);
  EXPECT_EQ(found.ranks, ranks);
}

TEST(Launcher, IsKnownByItsVariables) {
  expect({}, launchers::none, 0, 1);
  expect({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}, launchers::open_mpi, 3, 4);
  expect({{"PMIX_RANK", "2"}}, launchers::open_mpi, 2, 0);
  expect({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}, launchers::mpich, 1, 2);
  expect({{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "5"}}, launchers::slurm, 5, 8);
}

TEST(Launcher, OneTaskOfSlurmIsNone) {
  expect({{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}}, launchers::none, 0, 1);
  expect({{"SLURM_PROCID", "0"}}, launchers::none, 0, 1);
}

TEST(Launcher, NumbersThatAreNoneAreNotBelieved) {
  expect({{"OMPI_COMM_WORLD_SIZE", "many"}, {"OMPI_COMM_WORLD_RANK", "-1"}}, launchers::open_mpi, 0, 0);
}

}  // namespace
}  // namespace callisto::machine
