// Solution 9.1: The cheapest cut
//
// There are five cuts: a|b|a|b with -10, ab|a|b and a|b|ab with -9.5, ab|ab
// with -9, and a|ba|b with -6. The last is the highest, although it begins with
// a piece that the longest-first rule never takes.
//
// The rule "longest piece first" decides at the first letter, and cannot know
// what it gives away in the middle.
#include "exercise/exercise.hpp"

const double my_answer = -2 + -1 + -3;
