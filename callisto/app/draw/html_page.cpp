// Writes the style and the elements of HTML pages.
#include <callisto/app/draw/html_page.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace callisto::app {
namespace {

// Widths depend on the text's size or the window's. Every part that could be wide may break into lines or scale.
constexpr std::string_view style =
    ":root{color-scheme:light dark;--page:#fff;--ink:#1c1c1c;--soft:#5b6268;--line:#dddddd;--box:#f4f6f8;--bar:#cfe4f3}"
    "@media (prefers-color-scheme:dark){:root{--page:#14171a;--ink:#e6e6e6;--soft:#a3abb2;--line:#3a3f45;--box:#1e2327;"
    "--bar:#1f4a66}}"
    "*{box-sizing:border-box}"
    "body{margin:0;background:var(--page);color:var(--ink);font:16px/1.45 system-ui,sans-serif;"
    "-webkit-text-size-adjust:100%}"
    "main{max-width:1200px;margin:0 auto;padding:28px 16px 40px}"
    "h1{font-size:1.6rem;line-height:1.2;margin:0 0 4px;overflow-wrap:anywhere}"
    "h2{font-size:1.15rem;margin:34px 0 12px;padding-top:14px;border-top:1px solid var(--line)}"
    "h3{font-size:1rem;margin:0 0 8px}"
    "p{margin:6px 0;max-width:75ch;overflow-wrap:anywhere}"
    ".soft,figcaption,.fact span,.fact small,footer{color:var(--soft)}"
    ".facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(46%,180px),1fr));gap:10px;margin-top:20px}"
    ".fact{background:var(--box);border-radius:8px;padding:10px 12px;min-width:0;overflow-wrap:anywhere}"
    ".fact span,.fact small{display:block;font-size:.82rem}"
    ".fact b{display:block;font-size:1.3rem;line-height:1.3;font-variant-numeric:tabular-nums}"
    ".columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,340px),1fr));gap:28px 32px}"
    ".columns>*{min-width:0}.columns>:only-child{max-width:560px}"
    "figure{margin:0}figcaption{font-size:.88rem;margin-top:4px}"
    "svg{display:block;width:100%;height:auto}"
    ".wide{overflow-x:auto}"
    "table{border-collapse:collapse;width:100%;font-size:.94rem;font-variant-numeric:tabular-nums}"
    "th{font-weight:600;color:var(--soft);font-size:.82rem}"
    "th,td{text-align:right;padding:4px 0 4px 14px;border-bottom:1px solid var(--line)}td{white-space:nowrap}"
    ".words{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:8ch}"
    "th:first-child,td:first-child{padding-left:0}.columns+div{margin-top:24px}"
    "td.bar{padding-right:6px;background:linear-gradient(var(--bar),var(--bar)) no-repeat right "
    "center/calc(var(--part)*.92) 72%}"
    "details{margin-top:6px;font-size:.88rem}summary{cursor:pointer;color:var(--soft)}"
    "details .wide{max-height:24rem;overflow-y:auto}"
    "input{font:inherit;color:inherit;background:var(--box);border:1px solid var(--line);border-radius:6px;"
    "padding:6px 10px;width:min(100%,26rem);margin:0 0 8px}"
    "footer{margin-top:36px;font-size:.85rem}";

/// Shows up to 100 rows with the field's text in their first cell.
constexpr std::string_view search_script =
    "<script>(()=>{const f=document.getElementById('find'),d=document.getElementById('found'),"
    "r=[...d.querySelectorAll('tbody tr')];f.hidden=false;f.oninput=()=>{const w=f.value.trim().toLowerCase();"
    "let n=0;for(const t of r){const h=w===''||t.cells[0].textContent.toLowerCase().includes(w);"
    "t.hidden=!h||(w!==''&&++n>100)}d.open=true}})()</script>\n";

}  // namespace

html_page::html_page(std::string_view kind, std::string_view title, std::string_view subtitle) {
  head_ = fmt::format("<title>{}: {}</title>", xml(kind), xml(title));
  body_ = fmt::format("<h1>{}</h1>\n<p class=\"soft\">{}</p>\n", xml(title), xml(subtitle));
}

void html_page::section(std::string_view heading) {
  if (in_section_) body_ += "</section>\n";
  body_ += fmt::format("<section>\n<h2>{}</h2>\n", xml(heading));
  in_section_ = true;
}

void html_page::paragraph(std::string_view text) { body_ += fmt::format("<p>{}</p>\n", xml(text)); }

void html_page::facts(std::span<const fact> all) {
  body_ += "<div class=\"facts\">\n";
  for (const fact& f : all) {
    body_ += fmt::format("<div class=\"fact\"><span>{}</span><b>{}</b>", xml(f.name), xml(f.value));
    if (!f.remark.empty()) body_ += fmt::format("<small>{}</small>", xml(f.remark));
    body_ += "</div>\n";
  }
  body_ += "</div>\n";
}

void html_page::begin_columns() { body_ += "<div class=\"columns\">\n"; }
void html_page::end_columns() { body_ += "</div>\n"; }

void html_page::figure(const svg_panel& drawing, std::string_view description, std::string_view caption,
                       const cells& numbers) {
  constexpr double largest = 1.37;  // pixels a user unit: letters of drawings are as large as the page's
  body_ += fmt::format(
      "<figure>\n<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" style=\"max-width:{:.0f}px\" "
      "role=\"img\" aria-label=\"{}\">\n"
      "{}</svg>\n<figcaption>{}</figcaption>\n",
      drawing.width, drawing.height, largest * drawing.width, xml(description), drawing.elements, xml(caption));
  if (!numbers.rows.empty()) {
    body_ += "<details><summary>as a table</summary>\n";
    add_table(numbers, {});
    body_ += "</details>\n";
  }
  body_ += "</figure>\n";
}

void html_page::search(std::string_view summary, std::string_view prompt, const cells& all) {
  body_ += fmt::format(
      "<input id=\"find\" type=\"search\" placeholder=\"{0}\" aria-label=\"{0}\" hidden=\"hidden\"/>\n"
      "<details id=\"found\"><summary>{1}</summary>\n",
      xml(prompt), xml(summary));
  add_table(all, {});
  body_ += "</details>\n";
  searched_ = true;
}

void html_page::table(std::string_view heading, const cells& all, const std::vector<double>& bars) {
  body_ += "<div>\n";
  if (!heading.empty()) body_ += fmt::format("<h3>{}</h3>\n", xml(heading));
  add_table(all, bars);
  body_ += "</div>\n";
}

void html_page::add_table(const cells& all, const std::vector<double>& bars) {
  const auto& [columns, rows, words] = all;
  const auto kind_of = [&](std::size_t column) { return column < words ? " class=\"words\"" : ""; };
  body_ += "<div class=\"wide\"><table>\n<thead><tr>";
  for (std::size_t c = 0; c < columns.size(); ++c) {
    body_ += fmt::format("<th scope=\"col\"{}>{}</th>", kind_of(c), xml(columns[c]));
  }
  body_ += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    body_ += "<tr>";
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      if (c + 1 == rows[r].size() && r < bars.size()) {
        body_ += fmt::format("<td class=\"bar\" style=\"--part:{:.1f}%\">{}</td>", 100 * std::clamp(bars[r], 0.0, 1.0),
                             xml(rows[r][c]));
      } else {
        body_ += fmt::format("<td{}>{}</td>", kind_of(c), xml(rows[r][c]));
      }
    }
    body_ += "</tr>\n";
  }
  body_ += "</tbody>\n</table></div>\n";
}

std::string html_page::finish(std::string_view maker) const {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n{}\n<style>\n{}\n{}</style>\n</head>\n"
      "<body>\n<main>\n{}{}<footer>Made by {}.</footer>\n</main>\n{}</body>\n</html>\n",
      head_, style, svg_style_rules(), body_, in_section_ ? "</section>\n" : "", xml(maker),
      searched_ ? search_script : "");
}

}  // namespace callisto::app
