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
    ".keys{display:flex;flex-wrap:wrap;gap:2px 18px;font-size:.88rem;margin-top:8px}"
    ".keys svg{display:inline-block;width:12px;height:12px;margin-right:6px;vertical-align:-1px}"
    ".moves{touch-action:pan-y;cursor:grab}.moves circle{transform-box:fill-box;transform-origin:center;"
    "transform:scale(var(--k,1))}.moves text{font-size:calc(12px*var(--t,1))}.moves "
    ".edge{vector-effect:non-scaling-stroke}"
    ".moves.some circle:not(.hit){opacity:.18}.moves.some text:not(.hit){opacity:.25}"
    ".moves .hit{stroke:var(--ink);stroke-width:2px}.moves text.hit{stroke:var(--page);font-weight:600}"
    ".tools{display:flex;gap:6px;margin:0 0 6px}.tools button{font:inherit;color:inherit;background:var(--box);"
    "border:1px solid var(--line);border-radius:6px;min-width:2.4rem;padding:3px 10px}"
    "footer{margin-top:36px;font-size:.85rem}";

/// Shows up to 100 rows with the field's text in their first cell.
constexpr std::string_view search_script =
    "(()=>{const f=document.getElementById('find'),d=document.getElementById('found'),"
    "r=[...d.querySelectorAll('tbody tr')];f.hidden=false;f.oninput=()=>{const w=f.value.trim().toLowerCase();"
    "let n=0;for(const t of r){const h=w===''||t.cells[0].textContent.toLowerCase().includes(w);"
    "t.hidden=!h||(w!==''&&++n>100)}d.open=true}})();";

/// Moves a drawing by its viewBox, and marks what the search field finds.
constexpr std::string_view moving_script =
    "(()=>{const s=document.querySelector('svg.moves'),b=s.viewBox.baseVal,H=[b.width,b.height],p=new Map();"
    "const set=(x,y,w)=>{w=Math.min(H[0],Math.max(H[0]/80,w));const h=w*H[1]/H[0],z=H[0]/w;"
    "b.x=Math.min(H[0]-w,Math.max(0,x));b.y=Math.min(H[1]-h,Math.max(0,y));b.width=w;b.height=h;"
    "s.style.touchAction=z>1?'none':'pan-y';s.style.setProperty('--k',1/Math.sqrt(z));s.style.setProperty('--t',1/z)};"
    "const zoom=(f,X,Y)=>{const r=s.getBoundingClientRect(),u=X===undefined?.5:(X-r.left)/r.width,"
    "v=Y===undefined?.5:(Y-r.top)/r.height,w=Math.min(H[0],Math.max(H[0]/80,b.width*f));"
    "set(b.x+(b.width-w)*u,b.y+(b.height-w*H[1]/H[0])*v,w)};"
    "const t=document.getElementById('tools');t.hidden=false;"
    "t.children[0].onclick=()=>zoom(.6);t.children[1].onclick=()=>zoom(1/.6);t.children[2].onclick=()=>set(0,0,H[0]);"
    "s.addEventListener('wheel',e=>{if(!e.ctrlKey&&document.activeElement!==s)return;e.preventDefault();"
    "zoom(Math.exp(e.deltaY*.002),e.clientX,e.clientY)},{passive:false});"
    "s.onpointerdown=e=>{p.set(e.pointerId,e)};"
    "s.onpointermove=e=>{const o=p.get(e.pointerId);if(!o)return;const r=s.getBoundingClientRect();"
    "if(p.size===1){if(b.width<H[0]){s.setPointerCapture(e.pointerId);"
    "set(b.x-(e.clientX-o.clientX)*b.width/r.width,b.y-(e.clientY-o.clientY)*b.height/r.height,b.width)}}"
    "else{const "
    "q=[...p.values()].find(i=>i.pointerId!==e.pointerId),d=i=>Math.hypot(i.clientX-q.clientX,i.clientY-q.clientY);"
    "zoom(d(o)/Math.max(1,d(e)),(e.clientX+q.clientX)/2,(e.clientY+q.clientY)/2)}p.set(e.pointerId,e)};"
    "s.onpointerup=s.onpointercancel=s.onpointerleave=e=>{p.delete(e.pointerId)};"
    "s.onkeydown=e=>{const m={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]}[e.key];"
    "if(m)set(b.x+m[0]*b.width/8,b.y+m[1]*b.height/8,b.width);else if(e.key==='+')zoom(.6);else "
    "if(e.key==='-')zoom(1/.6);"
    "else return;e.preventDefault()};"
    "const f=document.getElementById('find');if(!f)return;const c=[...s.querySelectorAll('circle[data-n]')],by=new "
    "Map();"
    "for(const i of c)by.set(i.dataset.n,i);const rows=[...document.querySelectorAll('#found tbody tr')];"
    "f.addEventListener('input',()=>{const "
    "w=f.value.trim().toLowerCase();s.querySelectorAll('text.hit').forEach(i=>i.remove());"
    "for(const i of c)i.classList.remove('hit');let n=0;if(w){const "
    "show=(i,name)=>{if(!i||i.classList.contains('hit'))return;"
    "i.classList.add('hit');if(n++<12){const "
    "l=document.createElementNS(s.namespaceURI,'text');l.setAttribute('class','small name hit');"
    "l.setAttribute('x',+i.getAttribute('cx')+ +i.getAttribute('r')+3);l.setAttribute('y',+i.getAttribute('cy')+4);"
    "l.textContent=name;s.append(l)}};"
    "const each=s.dataset.of==='vertices';if(each){for(const i of "
    "c)if(i.dataset.n.toLowerCase().includes(w))show(i,i.dataset.n)}"
    "else for(const t of rows)if(t.cells[0].textContent.toLowerCase().includes(w))"
    "show(by.get(t.cells[t.cells.length-1].textContent),t.cells[0].textContent)}s.classList.toggle('some',n>0)})})();";

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

void html_page::legend(std::span<const key> all) {
  body_ += "<div class=\"keys\">\n";
  for (const key& k : all) {
    body_ += fmt::format(
        "<span><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><circle {} cx=\"6\" cy=\"6\" r=\"6\"/></svg>{}</span>\n",
        k.fill, xml(k.words));
  }
  body_ += "</div>\n";
}

void html_page::add_drawing(const svg_panel& drawing, std::string_view description, std::string_view caption,
                            bool moves) {
  constexpr double largest = 1.37;  // pixels a user unit: letters of drawings are as large as the page's
  body_ += "<figure>\n";
  if (moves) {
    body_ +=
        "<div class=\"tools\" id=\"tools\" hidden=\"hidden\"><button type=\"button\" aria-label=\"nearer\">+</button>"
        "<button type=\"button\" aria-label=\"farther\">\u2212</button><button type=\"button\">all</button></div>\n";
  }
  body_ += fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" style=\"max-width:{:.0f}px\" "
      "role=\"img\" aria-label=\"{}\"{}>\n"
      "{}</svg>\n<figcaption>{}</figcaption>\n",
      drawing.width, drawing.height, largest * drawing.width, xml(description),
      moves ? fmt::format(" class=\"moves\" tabindex=\"0\" data-of=\"{}\"", moves_of_) : "", drawing.elements,
      xml(caption));
}

void html_page::moving_figure(const svg_panel& drawing, std::string_view description, std::string_view caption,
                              bool of_vertices) {
  moves_ = true;
  moves_of_ = of_vertices ? "vertices" : "communities";
  add_drawing(drawing, description, caption, true);
  body_ += "</figure>\n";
}

void html_page::figure(const svg_panel& drawing, std::string_view description, std::string_view caption,
                       const cells& numbers) {
  add_drawing(drawing, description, caption, false);
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
  std::string script;
  if (searched_) script += search_script;
  if (moves_) script += moving_script;
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n{}\n<style>\n{}\n{}</style>\n</head>\n"
      "<body>\n<main>\n{}{}<footer>Made by {}.</footer>\n</main>\n{}</body>\n</html>\n",
      head_, style, svg_style_rules(), body_, in_section_ ? "</section>\n" : "", xml(maker),
      script.empty() ? "" : "<script>" + script + "</script>\n");
}

}  // namespace callisto::app
