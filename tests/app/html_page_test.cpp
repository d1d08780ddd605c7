// Checks that HTML pages are well-formed, self-contained, and safe from hostile names.
#include <callisto/app/draw/html_page.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace callisto::app {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

std::string example_page() {
  html_page page("kind", "<script>alert(1)</script>", "a & b");
  const std::vector<html_page::fact> facts{{"vertices", "7", "2 <isolated>"}, {"edges", "9", ""}};
  page.facts(facts);
  page.section("One");
  page.begin_columns();
  page.figure({10, 20, "<path d=\"M0 0\"/>"}, "what it \"shows\"", "caption");
  page.table("Top", {{"vertex", "share"}, {{"1", "50 %"}, {"2", "25 %"}}}, {1, 0.5});
  page.end_columns();
  page.section("Two");
  page.paragraph("last words");
  return page.finish("callisto analyze");
}

TEST(html_page, opens_and_closes_every_element) {
  const std::string page = example_page();
  for (const char* name :
       {"html",   "head",       "body", "main",  "section", "div", "table", "thead",  "tbody", "tr", "td",
        "figure", "figcaption", "svg",  "style", "h1",      "h2",  "h3",    "footer", "title", "p"}) {
    const std::string opened = std::string("<") + name;
    EXPECT_EQ(count_of(page, opened + ">") + count_of(page, opened + " "),
              count_of(page, std::string("</") + name + ">"))
        << name;
  }
  EXPECT_EQ(page.find("<!DOCTYPE html>"), 0u);
  EXPECT_EQ(count_of(page, "<section>"), 2u);
}

TEST(html_page, escapes_all_texts) {
  const std::string page = example_page();
  EXPECT_EQ(count_of(page, "<script"), 0u);
  EXPECT_EQ(count_of(page, "&lt;script&gt;"), 2u);  // in the title and in the heading
  EXPECT_EQ(count_of(page, "2 &lt;isolated&gt;"), 1u);
  EXPECT_EQ(count_of(page, "what it &quot;shows&quot;"), 1u);
}

TEST(html_page, needs_nothing_from_outside) {
  const std::string page = example_page();
  EXPECT_EQ(count_of(page, "src="), 0u);
  EXPECT_EQ(count_of(page, "href="), 0u);
  EXPECT_EQ(count_of(page, "url("), 0u);
  EXPECT_EQ(count_of(page, "@import"), 0u);
  EXPECT_GE(count_of(page, "prefers-color-scheme:dark"), 2u);
}

TEST(html_page, numbers_behind_pictures_and_a_list_to_search) {
  html_page page("kind", "title", "subtitle");
  page.figure({10, 20, ""}, "d", "c", {{"degree", "vertices"}, {{"1", "7"}, {"2", "<9>"}}});
  page.figure({10, 20, ""}, "d", "c", {{"degree"}, {}});
  page.search("All vertices", "Find \"one\"", {{"vertex", "rank"}, {{"<ann>", "1"}}});
  const std::string text = page.finish("test");
  EXPECT_EQ(count_of(text, "<details"), 2u);
  EXPECT_EQ(count_of(text, "<details"), count_of(text, "</details>"));
  EXPECT_EQ(count_of(text, "<td>&lt;9&gt;</td>"), 1u);
  EXPECT_EQ(count_of(text, "<td class=\"words\">&lt;ann&gt;</td>"), 1u);
  EXPECT_EQ(count_of(text, "<script"), 1u);
  for (const char* outside : {"src=", "href=", "fetch(", "import"}) EXPECT_EQ(count_of(text, outside), 0u) << outside;
}

TEST(html_page, breaks_words_into_lines_but_no_numbers) {
  html_page page("kind", "title", "subtitle");
  page.table("", {{"community of", "with", "share"}, {{"ann", "bob, cid", "50 %"}}, 2});
  const std::string text = page.finish("test");
  EXPECT_EQ(count_of(text, "<td class=\"words\">bob, cid</td><td>50 %</td>"), 1u);
  EXPECT_EQ(count_of(text, "<th scope=\"col\" class=\"words\">"), 2u);
}

TEST(html_page, draws_bars) {
  const std::string page = example_page();
  EXPECT_EQ(count_of(page, "--part:100.0%"), 1u);
  EXPECT_EQ(count_of(page, "--part:50.0%"), 1u);
}

}  // namespace
}  // namespace callisto::app
