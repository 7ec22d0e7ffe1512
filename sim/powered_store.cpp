#include "sim/powered_store.hpp"

#include <utility>

namespace mneme::sim {

namespace {

class powered_store final : public kv_store {
public:
  powered_store(std::unique_ptr<kv_store> below, std::shared_ptr<const power> supply)
      : below_(std::move(below)), supply_(std::move(supply)) {}

  result<std::unique_ptr<kv_reader>> reader() override {
    if (!supply_->on) return no_power();
    return below_->reader();
  }
  result<void> apply(const std::vector<kv_write>& writes, seq_no commit) override {
    if (!supply_->on) return no_power();
    return below_->apply(writes, commit);
  }
  result<void> set_stable(seq_no stable) override {
    if (!supply_->on) return no_power();
    return below_->set_stable(stable);
  }
  result<void> checkpoint() override {
    if (!supply_->on) return no_power();
    return below_->checkpoint();
  }
  [[nodiscard]] seq_no recovered() const override { return below_->recovered(); }
  result<void> verify() override { return below_->verify(); }

private:
  static std::unexpected<error> no_power() { return fail(errc::io, "the machine has stopped"); }

  std::unique_ptr<kv_store> below_;
  std::shared_ptr<const power> supply_;
};

} // namespace

std::unique_ptr<kv_store> make_powered_store(std::unique_ptr<kv_store> below,
                                             std::shared_ptr<const power> supply) {
  return std::make_unique<powered_store>(std::move(below), std::move(supply));
}

} // namespace mneme::sim
