// The editor of a version: rows are found by typing, and leaving with unsaved changes is asked about.
// Without it all rows are shown and the form works as it is.
(function () {
  "use strict";
  document.querySelectorAll(".rb-only-script").forEach(function (one) {
    one.classList.add("rb-with-script");
  });
  document.querySelectorAll("[data-filter]").forEach(function (input) {
    var rows = Array.prototype.slice.call(document.querySelectorAll("#" + input.dataset.filter + " [data-find]"));
    var count = document.querySelector('[data-filter-count="' + input.dataset.filter + '"]');
    input.addEventListener("input", function () {
      document.querySelectorAll("[data-filter-opens]").forEach(function (one) {
        if (input.value) one.open = true;
      });
      var words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      var shown = 0;
      rows.forEach(function (row) {
        var fits = words.every(function (word) {
          return row.dataset.find.indexOf(word) >= 0;
        });
        row.hidden = !fits;
        shown += fits ? 1 : 0;
      });
      if (count) count.textContent = words.length ? shown + " of " + rows.length : "";
    });
    input.addEventListener("keydown", function (e) {
      if (e.key === "Enter") e.preventDefault();
    });
  });
  var form = document.getElementById("rb-editor");
  if (!form) return;
  var changed = false;
  form.addEventListener("change", function () {
    changed = true;
  });
  form.addEventListener("submit", function () {
    changed = false;
  });
  window.addEventListener("beforeunload", function (e) {
    if (changed) e.preventDefault();
  });
})();
