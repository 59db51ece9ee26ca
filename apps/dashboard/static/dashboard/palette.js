// Ctrl+K (or Cmd+K): a dialog that finds things and actions. The link that opens it leads to the page of search where
// no script runs.
(function () {
  "use strict";
  function dialog() {
    return document.getElementById("rb-palette");
  }
  function options() {
    return Array.prototype.slice.call(document.querySelectorAll("#rb-options a"));
  }
  function choose(at) {
    var every = options();
    if (!every.length) return;
    var next = every[(at + every.length) % every.length];
    every.forEach(function (one) {
      one.setAttribute("aria-selected", String(one === next));
    });
    dialog().querySelector("input").setAttribute("aria-activedescendant", next.id);
    next.scrollIntoView({ block: "nearest" });
  }
  function chosen() {
    return options().findIndex(function (one) {
      return one.getAttribute("aria-selected") === "true";
    });
  }
  function open() {
    var found = dialog();
    if (!found || found.open) return;
    found.showModal();
    var field = found.querySelector("input");
    field.select();
    field.dispatchEvent(new Event("palette"));
  }
  document.addEventListener("keydown", function (e) {
    var found = dialog();
    if (!found) return;
    if ((e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey && e.key.toLowerCase() === "k") {
      e.preventDefault();
      if (found.open) found.close();
      else open();
      return;
    }
    if (!found.open || e.isComposing) return;
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      choose(chosen() + (e.key === "ArrowDown" ? 1 : -1));
    } else if (e.key === "Enter") {
      var one = options()[chosen()];
      if (one) {
        e.preventDefault();
        window.location.assign(one.href);
      }
    }
  });
  document.addEventListener("click", function (e) {
    var opener = e.target.closest && e.target.closest("[data-palette]");
    if (opener && dialog() && dialog().showModal && !e.ctrlKey && !e.metaKey && !e.shiftKey) {
      e.preventDefault();
      open();
    } else if (e.target === dialog()) {
      dialog().close();
    }
  });
})();
