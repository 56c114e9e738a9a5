#include "client/line_editor.h"

#include <histedit.h>

#include <clocale>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace quire {
namespace {

constexpr int kHistoryLines = 1000;

// libedit edits characters, not bytes, only in a locale of UTF-8.
void UseUtf8() {
  std::setlocale(LC_CTYPE, "");
  if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
}

class LineEditor final : public LineSource {
 public:
  explicit LineEditor(std::string prompt)
      : prompt_(std::move(prompt)),
        editor_((UseUtf8(), el_init("quire", stdin, stdout, stderr))),
        history_(history_init()) {
    HistEvent event;
    history(history_.get(), &event, H_SETSIZE, kHistoryLines);
    history(history_.get(), &event, H_SETUNIQUE, 1);
    el_set(editor_.get(), EL_CLIENTDATA, this);
    el_set(editor_.get(), EL_PROMPT, &LineEditor::Prompt);
    el_set(editor_.get(), EL_EDITOR, "emacs");
    el_set(editor_.get(), EL_HIST, history, history_.get());
    el_set(editor_.get(), EL_BIND, "^R", "em-inc-search-prev", nullptr);
    // While a line is edited Ctrl-C is a key, not a signal: it clears the line.
    el_set(editor_.get(), EL_SETTY, "-d", "-isig", nullptr);
    el_set(editor_.get(), EL_BIND, "^C", "em-kill-line", nullptr);
    el_source(editor_.get(), nullptr);
  }

  std::optional<std::string> Next() override {
    int size = 0;
    const char* text = el_gets(editor_.get(), &size);
    if (text == nullptr || size <= 0) return std::nullopt;
    std::string line(text, static_cast<size_t>(size));
    if (line.back() == '\n') line.pop_back();
    HistEvent event;
    if (!line.empty()) {
      history(history_.get(), &event, H_ENTER, line.c_str());
    }
    return line;
  }

 private:
  static char* Prompt(::EditLine* editor) {
    void* self = nullptr;
    el_get(editor, EL_CLIENTDATA, &self);
    return static_cast<LineEditor*>(self)->prompt_.data();
  }

  struct Closer {
    void operator()(::EditLine* editor) const { el_end(editor); }
    void operator()(History* history) const { history_end(history); }
  };

  std::string prompt_;
  std::unique_ptr<::EditLine, Closer> editor_;
  std::unique_ptr<History, Closer> history_;
};

class PlainLines final : public LineSource {
 public:
  explicit PlainLines(Console& console) : console_(console) {}

  std::optional<std::string> Next() override {
    std::string line;
    if (!std::getline(console_.in, line)) return std::nullopt;
    return line;
  }

 private:
  Console& console_;
};

}  // namespace

std::unique_ptr<LineSource> MakeLineEditor(std::string prompt) {
  return std::make_unique<LineEditor>(std::move(prompt));
}

std::unique_ptr<LineSource> MakePlainLines(Console& console) {
  return std::make_unique<PlainLines>(console);
}

}  // namespace quire
