// Marks the quotes a reason rests on, walks turns with j and k, and says aloud when the first line has changed.
// Pages work without it: a quote is a link to its turn.
(function () {
  "use strict";
  function light(element, on) {
    (element.dataset.marks || "").split(/\s+/).filter(Boolean).forEach(function (name) {
      document.querySelectorAll('mark[data-marks~="' + name + '"]').forEach(function (mark) {
        mark.classList.toggle("rb-on", on);
        mark.closest(".rb-turn").classList.toggle("rb-on", on);
      });
    });
  }
  ["mouseover", "focusin"].forEach(function (event) {
    document.addEventListener(event, function (e) {
      var found = e.target.closest && e.target.closest("a[data-marks], article[data-marks]");
      if (!found) return;
      document.querySelectorAll(".rb-on").forEach(function (old) { old.classList.remove("rb-on"); });
      light(found, true);
    });
  });
  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) return;
    if (e.key !== "j" && e.key !== "k") return;
    var turns = Array.prototype.slice.call(document.querySelectorAll(".rb-turn"));
    if (!turns.length) return;
    var at = turns.indexOf(document.activeElement);
    var next = turns[Math.max(0, Math.min(turns.length - 1, e.key === "j" ? at + 1 : at - 1))];
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "center" });
    e.preventDefault();
  });
  var open = [];
  document.addEventListener("htmx:beforeSwap", function () {
    open = Array.prototype.map.call(document.querySelectorAll("#rb-live details[open]"), function (one) { return one.id; });
  });
  document.addEventListener("htmx:afterSwap", function () {
    open.forEach(function (id) { var one = document.getElementById(id); if (one) one.open = true; });
    var line = document.querySelector("[data-announce]");
    var place = document.getElementById("rb-announce");
    if (line && place && place.textContent !== line.textContent) place.textContent = line.textContent;
  });
})();
