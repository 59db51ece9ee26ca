// Marks the quotes a reason rests on, walks turns with j and k, and says aloud when the first line has changed.
// Pages work without it: a quote is a link to its turn.
(function () {
  "use strict";
  function light(element, on) {
    (element.dataset.marks || "")
      .split(/\s+/)
      .filter(Boolean)
      .forEach(function (name) {
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
      document.querySelectorAll(".rb-on").forEach(function (old) {
        old.classList.remove("rb-on");
      });
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
  // A live part is morphed, not replaced: what was opened by hand stays open, and a field being typed into keeps its
  // text.
  if (window.Idiomorph)
    window.Idiomorph.defaults.callbacks.beforeAttributeUpdated = function (name, node) {
      return !(name === "open" && node.tagName === "DETAILS");
    };
  function announce() {
    var line = document.querySelector("[data-announce]");
    var place = document.getElementById("rb-announce");
    if (line && place && place.textContent !== line.textContent) place.textContent = line.textContent;
  }
  document.addEventListener("htmx:afterSwap", announce);
  document.addEventListener("htmx:afterSettle", function () {
    var panel = document.querySelector(".rb-drawer");
    if (panel && !panel.dataset.seen) {
      panel.dataset.seen = "1";
      panel.focus({ preventScroll: true });
    }
  });
  function shut(menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
  document.addEventListener("click", function (e) {
    var closer = e.target.closest && e.target.closest("[data-close]");
    if (closer) {
      e.preventDefault();
      shut(closer.closest("details"));
      return;
    }
    document.querySelectorAll("details.rb-confirm[open]").forEach(function (menu) {
      if (!menu.contains(e.target)) menu.open = false;
    });
  });
  document.addEventListener("focusin", function (e) {
    if (e.target.matches && e.target.matches("[data-copy]")) e.target.select();
  });
  // A button that was pressed shows that it waits, and is not pressed twice. A file that comes back leaves the page
  // as it is.
  function rested() {
    document.querySelectorAll("button[aria-busy]").forEach(function (button) {
      button.removeAttribute("aria-busy");
    });
  }
  document.addEventListener("submit", function (e) {
    var button = e.submitter;
    if (!button || e.defaultPrevented) return;
    if (button.hasAttribute("aria-busy")) {
      e.preventDefault();
      return;
    }
    button.setAttribute("aria-busy", "true");
    window.setTimeout(rested, 20000);
  });
  window.addEventListener("pageshow", rested);
  document.addEventListener("htmx:afterRequest", rested);
  document.addEventListener("keydown", function (e) {
    if (e.key === "Escape") {
      var menu = e.target.closest && e.target.closest("details.rb-confirm[open]");
      var panel = document.querySelector(".rb-drawer");
      if (menu) shut(menu);
      else if (panel && panel.dataset.back) window.location.assign(panel.dataset.back);
      return;
    }
    if (e.key !== "?" || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) return;
    var help = document.getElementById("rb-keys");
    if (help) {
      help.open = !help.open;
      help.querySelector("summary").focus();
      e.preventDefault();
    }
  });
})();
