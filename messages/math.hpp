#pragma once
/// exp and log with the same bits on every machine and compiler: libm chooses its code by CPU, so
/// scoring never calls it. Errors stay below one and a half units in the last place. Only +, -, *
/// and / in a written order; the build forbids contraction into fused operations.

namespace mneme {

/// e^x. Overflow gives infinity, underflow goes through the subnormals to zero, NaN stays NaN.
[[nodiscard]] double stable_exp(double x) noexcept;

/// Natural logarithm. Zero gives -infinity; negative numbers and NaN give NaN.
[[nodiscard]] double stable_log(double x) noexcept;

} // namespace mneme
