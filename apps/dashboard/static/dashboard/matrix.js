// Walks a matrix by h, j, k and l, and tells which cell is open. Every cell is a link without it.
(function () {
  "use strict";
  var typing = /^(INPUT|TEXTAREA|SELECT)$/;
  function cellAt(row, column) {
    var rows = document.querySelectorAll(".rb-matrix tbody tr");
    if (row < 0 || row >= rows.length) return null;
    var links = rows[row].querySelectorAll("th a, td.rb-at a");
    return links[Math.max(0, Math.min(links.length - 1, column))] || null;
  }
  function place() {
    var here = document.activeElement.closest && document.activeElement.closest(".rb-matrix tbody tr");
    if (!here) return null;
    var rows = Array.prototype.slice.call(here.parentNode.children);
    var links = Array.prototype.slice.call(here.querySelectorAll("th a, td.rb-at a"));
    return [rows.indexOf(here), links.indexOf(document.activeElement)];
  }
  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey || typing.test(e.target.tagName)) return;
    var step = { j: [1, 0], k: [-1, 0], h: [0, -1], l: [0, 1] }[e.key];
    if (!step || !document.querySelector(".rb-matrix")) return;
    var at = place();
    var next = at ? cellAt(at[0] + step[0], Math.max(0, at[1] + step[1])) : cellAt(0, 1);
    if (!next) return;
    next.focus();
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
    e.preventDefault();
  });
  // At a conversation or a pair: n and p lead on, u leads back to the list, c, d and e open what stands below.
  function into(element) {
    if (!element) return;
    element.focus();
    element.scrollIntoView({ block: "center" });
  }
  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey || typing.test(e.target.tagName)) return;
    var link = document.getElementById({ n: "rb-next", p: "rb-prev", u: "rb-up", c: "rb-calls-open" }[e.key] || "-");
    if (link) {
      e.preventDefault();
      link.click();
      return;
    }
    if (e.key === "e") {
      var text = document.getElementById("rb-note-text");
      if (text) {
        e.preventDefault();
        into(text);
      }
    }
    if (e.key === "d") {
      var form = document.querySelector(".rb-disagree");
      if (form) {
        e.preventDefault();
        form.open = true;
        into(form.querySelector("input[name=value]"));
      }
    }
  });
  document.addEventListener("htmx:afterSettle", function () {
    var calls = document.getElementById("rb-calls-panel");
    if (calls && !calls.dataset.seen) {
      calls.dataset.seen = "1";
      calls.focus({ preventScroll: true });
      calls.scrollIntoView({ block: "start" });
    }
  });
  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey || typing.test(e.target.tagName) || !document.querySelector(".rb-pair"))
      return;
    if (e.key !== "j" && e.key !== "k") return;
    var rows = Array.prototype.slice.call(document.querySelectorAll(".rb-pair > .rb-pair-row:not(.rb-pair-head)"));
    if (!rows.length) return;
    var at = rows.indexOf(document.activeElement) + (e.key === "j" ? 1 : -1);
    into(rows[Math.max(0, Math.min(rows.length - 1, at))]);
    e.preventDefault();
  });
  var opener = null;
  document.addEventListener("htmx:beforeRequest", function (e) {
    if (!e.target.closest || !e.target.closest(".rb-at")) return;
    if (opener) opener.removeAttribute("aria-expanded");
    opener = e.target;
    opener.setAttribute("aria-expanded", "true");
  });
  // The panel beside a matrix is shut where it stands: its own address leads back to the same rows.
  function shut(e) {
    var panel = document.querySelector("#rb-beside .rb-drawer");
    if (!panel || !opener) return;
    e.preventDefault();
    e.stopPropagation();
    panel.remove();
    opener.removeAttribute("aria-expanded");
    opener.focus();
  }
  document.addEventListener(
    "keydown",
    function (e) {
      if (e.key === "Escape") shut(e);
    },
    true,
  );
  document.addEventListener(
    "click",
    function (e) {
      if (e.target.closest && e.target.closest("#rb-beside .rb-drawer > header a")) shut(e);
    },
    true,
  );
})();
