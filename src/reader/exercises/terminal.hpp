// What the reader sees. Results go to standard output, messages to standard
// error; nothing is said by colour alone.
#pragma once

#include <string>
#include <string_view>

namespace reader {

constexpr std::size_t width = 80;

enum class Colour { green, red, bold };

// The text in that colour, or as it is where there is no terminal or NO_COLOR
// is set.
std::string coloured(Colour colour, std::string_view text);

// "mha: TEXT", as the shell part of the command says it.
void say(std::string_view text);

// Shows text now, also where standard output is no terminal.
void print(std::string_view text);

// Breaks one paragraph at spaces, with every line but the first after indent.
std::string wrapped(std::string_view paragraph, std::string_view indent = "");

// One line that is written over while something takes long; on no terminal a
// line now and then. The next message begins where it stood.
void show_waiting(std::string_view label, int seconds, std::string_view doing);
void clear_waiting();

// Asks on the terminal; the answer is no unless the reader types y or yes.
bool ask(std::string_view question);
bool can_ask();

// Makes a program's output fit to be shown: no control characters, no endless
// lines, and of very many lines the first and the last.
std::string presentable(const std::string& output);

}  // namespace reader
