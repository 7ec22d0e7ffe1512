#include "storage/lent_store.hpp"

#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

class borrowing_reader final : public kv_reader {
public:
  explicit borrowing_reader(std::shared_ptr<kv_store> shared) : shared_(std::move(shared)) {}

  result<std::optional<std::string>> get(kv_table table, std::string_view key) override {
    return with([&](kv_reader& reader) { return reader.get(table, key); });
  }
  result<std::optional<row>> first(kv_table table, std::string_view lower,
                                   std::string_view upper) override {
    return with([&](kv_reader& reader) { return reader.first(table, lower, upper); });
  }
  result<std::optional<row>> newest(kv_table table, std::string_view prefix, seq_no at) override {
    return with([&](kv_reader& reader) { return reader.newest(table, prefix, at); });
  }
  result<void> scan(kv_table table, std::string_view lower, std::string_view upper,
                    const row_visitor& visit) override {
    return with([&](kv_reader& reader) { return reader.scan(table, lower, upper, visit); });
  }

private:
  template <class Call>
  auto with(const Call& call) -> decltype(call(std::declval<kv_reader&>())) {
    auto session = shared_->reader();
    if (!session) return propagate(session);
    return call(**session);
  }

  std::shared_ptr<kv_store> shared_;
};

class lent_store final : public kv_store {
public:
  lent_store(std::shared_ptr<kv_store> shared, seq_no at) : shared_(std::move(shared)), at_(at) {
    ensure(shared_ != nullptr, "there is something to lend");
    ensure(shared_->recovered() <= at_, "what is lent stands at its last seq");
  }

  result<std::unique_ptr<kv_reader>> reader() override {
    return std::make_unique<borrowing_reader>(shared_);
  }
  result<void> apply(const std::vector<kv_write>&, seq_no) override { return refused(); }
  result<void> set_stable(seq_no) override { return {}; }
  result<void> checkpoint() override { return refused(); }
  [[nodiscard]] seq_no recovered() const override { return at_; }
  [[nodiscard]] std::optional<error> stopped() const override { return shared_->stopped(); }
  result<void> verify() override { return shared_->verify(); }

private:
  static result<void> refused() {
    return fail(errc::unsupported, "a store that others read too is not written to");
  }

  std::shared_ptr<kv_store> shared_;
  seq_no at_;
};

} // namespace

std::unique_ptr<kv_store> make_lent_store(std::shared_ptr<kv_store> shared, seq_no at) {
  return std::make_unique<lent_store>(std::move(shared), at);
}

} // namespace mneme
