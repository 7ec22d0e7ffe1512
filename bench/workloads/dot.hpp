#pragma once
/// The product of two vectors, as fast as the machine can: what every floor of a near query does.

namespace mneme::workloads {

using dot_function = float (*)(const float* a, const float* b);

/// For vectors of `dimension` numbers; chosen for this machine, once.
dot_function fastest_dot();

/// In double, in the order of the axes: by which answers are judged.
double exact_dot(const float* a, const float* b);

} // namespace mneme::workloads
