#include "hypothesis_picture.hpp"

#include "diagnosis.hpp"
#include "mha/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

namespace diagnose {
namespace {

// From 1e-9 to 1e1, in pixels; what is beyond is drawn at the end.
constexpr double left = 22, decade = 28, radius = 2.2, pitch = 5;
constexpr int first_power = -9, last_power = 1;
constexpr double right_end = left + decade * (last_power - first_power);
constexpr double strip_height = 152;

double place_of(double error) {
  const double power = error > 0 ? std::log10(error) : first_power;
  return left + decade * (std::clamp(power, double{first_power},
                                     double{last_power}) - first_power);
}

struct Strip {
  std::vector<Fit> fits;  // the right attention first
  double rounding = 0;    // of the right attention
};

Strip strip_of(const Roles& roles) {
  Reading reading = read_so(roles, plans(roles).at(0));
  Predictor predictor(reading);
  Probe every;
  every.rows.resize(static_cast<std::size_t>(reading.output.rows()));
  std::iota(every.rows.begin(), every.rows.end(), 0);
  Strip strip;
  strip.fits = {compare(predictor, reading, {}, every)};
  const Traits traits = traits_of(reading);
  for (const Variation& one : variations()) {
    if (one.matters && !one.matters(traits)) continue;
    try {
      strip.fits.push_back(
          compare(predictor, reading, *combine({&one}), every));
    } catch (const std::invalid_argument&) {
      // It would have refused these sizes, and has given no output.
    }
  }
  reading.output = predictor.predict({}, every).output;
  strip.rounding = compare(predictor, reading, {}, every).allowed;
  return strip;
}

// The dots of a strip, stacked where they would cover each other.
void draw_dots(mha::Svg& svg, const std::vector<Fit>& fits, double base) {
  std::map<int, int> height;
  for (const Fit& fit : fits) {
    const int bin = static_cast<int>(place_of(fit.error) / pitch);
    const double x = (bin + 0.5) * pitch;
    const double y = base - pitch * height[bin]++ - radius - 2;
    svg.rectangle(x - radius, y - radius, 2 * radius, 2 * radius,
                  fit.fits() ? "fill='var(--mark,#b4540a)'"
                             : "fill='currentColor' fill-opacity='.45'",
                  fmt::format("{}: off by {:.1e}", fit.hypothesis.name(),
                              fit.error));
  }
}

void draw_strip(mha::Svg& svg, const NamedRoles& output, const Strip& strip,
                double base) {
  svg.text(left, base - strip_height + 40, output.name, "start",
           "font-weight='600'");
  svg.line({left, base, right_end, base}, "stroke='currentColor'");
  draw_dots(svg, strip.fits, base);
  const double x = place_of(strip.rounding);
  svg.line({x, base, x, base - 62},
           "stroke='currentColor' stroke-dasharray='3 3'");
  svg.text(x, base - 68, "rounding", "middle");
  for (const Fit& fit : strip.fits) {
    if (!fit.fits()) continue;
    svg.text(place_of(fit.error), base - 34, fit.hypothesis.name(), "middle");
    break;
  }
}

std::string words_of(const NamedRoles& output,
                     const std::vector<Fit>& fits) {
  std::string fitting;
  for (const Fit& fit : fits) {
    if (!fit.fits()) continue;
    fitting += (fitting.empty() ? "" : ", ") + fit.hypothesis.name();
  }
  return fmt::format(" Beside {}, of {} hypotheses these fit within rounding: "
                     "{}.", output.name, fits.size(),
                     fitting.empty() ? "none" : fitting);
}

}  // namespace

std::string draw_hypotheses(const std::vector<NamedRoles>& outputs) {
  std::vector<Strip> strips;
  std::string words =
      "A strip for each output, with a dot for each hypothesis, by how far its "
      "prediction is from that output.";
  for (const NamedRoles& output : outputs) {
    strips.push_back(strip_of(output.roles));
    words += words_of(output, strips.back().fits);
  }
  mha::Svg svg("How far each hypothesis is from the output", words);
  svg.open_group("font-size='13' fill='currentColor'");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    draw_strip(svg, outputs[i], strips[i],
               strip_height * static_cast<double>(i + 1));
  }
  const double below = strip_height * static_cast<double>(outputs.size()) + 18;
  for (int power = first_power; power <= last_power; power += 2) {
    svg.text(place_of(std::pow(10.0, power)), below,
             power == -1 ? "0.1" : power == 1 ? "10"
                                              : fmt::format("1e{}", power),
             "middle");
  }
  svg.text((left + right_end) / 2, below + 20,
           "error, as a share of the output's size", "middle");
  svg.close_group();
  return svg.finish(right_end + left, below + 28);
}

}  // namespace diagnose
