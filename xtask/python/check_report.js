// Looks at the page of a report from inside; returns what is wrong with it.
(() => {
  const wrong = [];
  const width = document.documentElement.clientWidth;
  const name = (e) => {
    const owner = e.closest("[id]");
    const text = (e.textContent || "").trim().slice(0, 40);
    return `${e.tagName.toLowerCase()} in #${owner ? owner.id : "?"} "${text}"`;
  };
  const inner = (e) => e.closest(".scroll");
  const drawn = (e) => e.checkVisibility() && e.getClientRects().length > 0;

  // nothing is wider than the window, but for what scrolls in a box of its own
  if (document.documentElement.scrollWidth > width) {
    wrong.push(`the page is ${document.documentElement.scrollWidth} wide, the window ${width}`);
  }
  for (const e of document.body.querySelectorAll("*")) {
    if (!drawn(e) || e.closest("svg") || (inner(e) && !e.matches(".scroll"))) continue;
    const box = e.getBoundingClientRect();
    if (box.right > width + 0.5 || box.left < -0.5) wrong.push(`${name(e)} is cut off`);
    const hidden = getComputedStyle(e).overflowX === "hidden";
    if (hidden && e.scrollWidth > e.clientWidth + 1) wrong.push(`${name(e)} is clipped`);
  }

  // structure
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  const twice = ids.filter((id, i) => ids.indexOf(id) !== i);
  if (twice.length) wrong.push(`ids are used twice: ${twice}`);
  for (const e of document.querySelectorAll("script, iframe, object, embed, link[rel=stylesheet]")) {
    wrong.push(`there is a ${e.tagName}`);
  }
  for (const a of document.querySelectorAll('nav a[href^="#"]')) {
    if (!document.getElementById(a.hash.slice(1))) wrong.push(`${a.hash} leads nowhere`);
  }
  for (const img of document.querySelectorAll("img")) {
    if (!img.complete || img.naturalWidth === 0) wrong.push(`${img.alt}: the image is broken`);
    if (!img.alt) wrong.push("an image has no alt text");
  }

  // drawings
  for (const svg of document.querySelectorAll("svg")) {
    if (!drawn(svg)) continue;
    const box = svg.getBoundingClientRect();
    if (box.width < 1 || box.height < 1) wrong.push(`an svg in ${name(svg)} has no size`);
    if (/NaN|inf/i.test([...svg.querySelectorAll("*")].flatMap((e) => [...e.attributes]
      .filter((a) => !a.name.startsWith("id") && a.name !== "title").map((a) => a.value)).join(" "))) {
      wrong.push(`${name(svg)} has numbers that are none`);
    }
    if (svg.getAttribute("aria-hidden") === "true") continue;
    for (const part of ["title", "desc"]) {
      const e = svg.querySelector(`:scope > ${part}`);
      if (!e || !e.textContent.trim()) wrong.push(`${name(svg)} has no ${part}`);
    }
    const texts = [...svg.querySelectorAll("text")];
    if (texts.length < 4) wrong.push(`${name(svg)} has hardly any labels`);
    const boxes = texts.map((t) => t.getBoundingClientRect());
    boxes.forEach((a, i) => {
      if (a.left < box.left - 1 || a.right > box.right + 1 || a.top < box.top - 1 || a.bottom > box.bottom + 1) {
        wrong.push(`${name(texts[i])} is outside its chart`);
      }
      boxes.slice(i + 1).forEach((b, j) => {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 0 && down > 2) {
          wrong.push(`${name(texts[i])} overlaps ${name(texts[i + 1 + j])}`);
        }
      });
      const scale = box.width / svg.viewBox.baseVal.width;
      const size = parseFloat(getComputedStyle(texts[i]).fontSize) * scale;
      if (size < 10 || size > 16) wrong.push(`${name(texts[i])} is ${size.toFixed(1)} px high`);
    });
  }

  // contrast
  const parse = (colour) => {
    const numbers = (colour.match(/[\d.]+(e-?\d+)?/g) || []).map(Number);
    const unit = colour.startsWith("color(") ? 255 : 1;
    return [...numbers.slice(0, 3).map((n) => n * unit), numbers[3] ?? 1];
  };
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const paper = (e) => {
    for (; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour[3] > 0) return colour;
    }
    return [255, 255, 255, 1];
  };
  let least = 21;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !drawn(e) || e.closest("title, desc")) continue;
    const style = getComputedStyle(e);
    const ink = parse(e.closest("svg") ? style.fill : style.color);
    const [a, b] = [luminance(ink), luminance(paper(e))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    least = Math.min(least, contrast);
    if (contrast < 4.5) wrong.push(`${name(e)} has a contrast of ${contrast.toFixed(2)}`);
  }
  return {
    wrong,
    least,
    sections: [...document.querySelectorAll("main > section")].map((s) => s.id),
    background: getComputedStyle(document.body).backgroundColor,
    light: luminance(parse(getComputedStyle(document.body).backgroundColor)),
    charts: [...document.querySelectorAll("svg.chart")].length,
  };
})()
