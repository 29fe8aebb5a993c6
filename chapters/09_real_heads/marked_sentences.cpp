#include "marked_sentences.hpp"

namespace trained {

namespace {

// [marking]
// What the person in a sentence is called by, and what is called.
MarkedSentence person(std::string text, const std::string& pronoun,
                      const std::string& name, std::vector<Mark> more = {}) {
  more.push_back({Relation::pronoun_to_person, pronoun, name});
  more.push_back({Relation::person_to_pronoun, name, pronoun});
  return {std::move(text), std::move(more)};
}

MarkedSentence subject(std::string text, const std::string& verb,
                       const std::string& noun, const char* object = nullptr) {
  MarkedSentence marked{std::move(text),
                        {{Relation::verb_to_subject, verb, noun},
                         {Relation::subject_to_verb, noun, verb}}};
  if (object != nullptr) {
    marked.marks.push_back({Relation::verb_to_object, verb, object});
  }
  return marked;
}

MarkedSentence object(std::string text, const std::string& verb,
                      const std::string& noun) {
  return {std::move(text), {{Relation::verb_to_object, verb, noun}}};
}

Mark to_object(const char* verb, const char* noun) {
  return {Relation::verb_to_object, verb, noun};
}
// [marking]

// [pronouns]
// Pairs: only the pronoun differs, and with it the person.
std::vector<MarkedSentence> pronouns() {
  return {
      person("Anna told Peter that she was late", "she", "Anna"),
      person("Anna told Peter that he was late", "he", "Peter"),
      person("Maria met Thomas after she left the office", "she", "Maria",
             {to_object("left", "office")}),
      person("Maria met Thomas after he left the office", "he", "Thomas",
             {to_object("left", "office")}),
      person("John asked Susan whether he could drive the car", "he", "John",
             {to_object("drive", "car")}),
      person("John asked Susan whether she could drive the car", "she",
             "Susan", {to_object("drive", "car")}),
      person("when David called Emma he was already asleep", "he", "David"),
      person("when David called Emma she was already asleep", "she", "Emma"),
      person("Sarah gave James the book that she had ordered", "she",
             "Sarah", {to_object("gave", "book")}),
      person("Sarah gave James the book that he had ordered", "he", "James",
             {to_object("gave", "book")}),
      person("Robert drove Helen home because he was tired", "he", "Robert"),
      person("Robert drove Helen home because she was tired", "she", "Helen"),
      person("the photo of Mary and George shows her at the lake", "her",
             "Mary"),
      person("the photo of Mary and George shows him at the lake", "him",
             "George"),
      person("Paul and Laura argued until he went home", "he", "Paul"),
      person("Paul and Laura argued until she went home", "she", "Laura"),
      person("Michael wrote to Julia about his new house", "his", "Michael"),
      person("Michael wrote to Julia about her new house", "her", "Julia"),
      person("Alice lost the race to Henry and she cried", "she", "Alice",
             {to_object("lost", "race")}),
      person("Alice lost the race to Henry and he cried", "he", "Henry",
             {to_object("lost", "race")}),
      person("my uncle visited my aunt before he moved to Paris", "he",
             "uncle"),
      person("my uncle visited my aunt before she moved to Paris", "she",
             "aunt"),
      person("the king wrote to the queen that he would return", "he",
             "king"),
      person("the king wrote to the queen that she would return", "she",
             "queen"),
      person("the boy lent the girl a pen and then he went outside", "he",
             "boy", {to_object("lent", "pen")}),
      person("the boy lent the girl a pen and then she went outside", "she",
             "girl", {to_object("lent", "pen")}),
      person("Kate said nothing to Martin while she cooked dinner", "she",
             "Kate", {to_object("cooked", "dinner")}),
      person("Kate said nothing to Martin while he cooked dinner", "he",
             "Martin", {to_object("cooked", "dinner")}),
      person("the man and the woman agreed that his car was too old", "his",
             "man"),
      person("the man and the woman agreed that her car was too old", "her",
             "woman"),
  };
}
// [pronouns]

// [distractors]
// Another noun stands between the subject and its verb.
std::vector<MarkedSentence> distractors() {
  return {
      subject("the keys to the cabinet were lost", "were", "keys"),
      subject("the key to the cabinets was lost", "was", "key"),
      subject("the boxes near the door contain old letters", "contain",
              "boxes", "letters"),
      subject("the box near the doors contains old letters", "contains",
              "box", "letters"),
      subject("the teacher of the children speaks French", "speaks",
              "teacher", "French"),
      subject("the teachers of the child speak French", "speak", "teachers",
              "French"),
      subject("the picture on the walls looks expensive", "looks", "picture"),
      subject("the pictures on the wall look expensive", "look", "pictures"),
      subject("the dog that chased the cats sleeps outside", "sleeps", "dog"),
      subject("the dogs that chased the cat sleep outside", "sleep", "dogs"),
      subject("the report about the floods surprises nobody", "surprises",
              "report", "nobody"),
      subject("the reports about the flood surprise nobody", "surprise",
              "reports", "nobody"),
      subject("the man with the two brown horses owns a farm", "owns", "man",
              "farm"),
      subject("the men with the brown horse own a farm", "own", "men",
              "farm"),
      subject("the door between the two kitchens stays open", "stays",
              "door"),
      subject("the doors between the kitchens stay open", "stay", "doors"),
      subject("a list of all the names hangs in the hall", "hangs", "list"),
      subject("the lists with the name hang in the hall", "hang", "lists"),
  };
}
// [distractors]

// [objects]
std::vector<MarkedSentence> objects() {
  return {
      object("the children found a small red ball", "found", "ball"),
      object("somebody opened the window", "opened", "window"),
      object("our neighbour painted the old wooden fence", "painted",
             "fence"),
      object("the farmer sold three very old horses", "sold", "horses"),
      object("my sister plays the violin", "plays", "violin"),
      object("the committee rejected the new and rather strange proposal",
             "rejected", "proposal"),
      object("they built a house near the river", "built", "house"),
      object("the cat watched the bird", "watched", "bird"),
      object("nobody understood the long lecture", "understood", "lecture"),
      object("the cook burned the soup", "burned", "soup"),
      object("the storm destroyed the bridge", "destroyed", "bridge"),
      object("a tall stranger bought the last tickets", "bought", "tickets"),
      object("the museum showed a painting of the sea", "showed",
             "painting"),
      object("all students read the same book", "read", "book"),
      person("the bicycle that Tom sold to the shop was not his", "his",
             "Tom"),
  };
}
// [objects]

}  // namespace

// [all sentences]
const std::vector<MarkedSentence>& marked_sentences() {
  static const std::vector<MarkedSentence> all = [] {
    std::vector<MarkedSentence> sentences = pronouns();
    for (const auto& more : {distractors(), objects()}) {
      sentences.insert(sentences.end(), more.begin(), more.end());
    }
    return sentences;
  }();
  return all;
}
// [all sentences]

}  // namespace trained
