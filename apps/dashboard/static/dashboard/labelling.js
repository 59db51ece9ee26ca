// Rating by keyboard alone. Without this the form works with the tab and arrow keys.
(function () {
  "use strict";
  var form = document.getElementById("cal-form");
  if (!form) return;
  var questions = Array.prototype.slice.call(form.querySelectorAll("fieldset"));
  var at = Math.max(0, questions.findIndex(function (one) { return !one.querySelector("input:checked"); }));

  function show(next, focus) {
    at = Math.max(0, Math.min(questions.length - 1, next));
    questions.forEach(function (one, n) { one.classList.toggle("cal-on", n === at); });
    if (focus) {
      var input = questions[at].querySelector("input:checked") || questions[at].querySelector("input");
      input.focus({ preventScroll: true });
      questions[at].scrollIntoView({ block: "nearest" });
    }
    say();
  }
  function open() { return questions.filter(function (one) { return !one.querySelector("input:checked"); }).length; }
  function say() {
    var left = open();
    document.getElementById("cal-progress").textContent =
      left ? left + " of " + questions.length + " to rate" : "all rated: n saves";
  }
  function rate(key) {
    var input = questions[at].querySelector('input[data-key="' + key + '"]');
    if (!input) return false;
    input.checked = true;
    show(at + 1, true);
    return true;
  }
  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    var target = e.target;
    if (target.tagName === "TEXTAREA") {
      if (e.key === "Escape") { show(at, true); e.preventDefault(); }
      return;
    }
    if (target.tagName === "SELECT" || (target.tagName === "INPUT" && target.type !== "radio")) return;
    var key = e.key;
    if (/^[0-9x]$/.test(key)) { if (!rate(key)) return; }
    else if (key === "ArrowDown") show(at + 1, true);
    else if (key === "ArrowUp") show(at - 1, true);
    else if (key === "r") questions[at].querySelector("textarea").focus();
    else if (key === "s" && form.dataset.skip) window.location.assign(form.dataset.skip);
    else if (key === "n") {
      if (open()) show(questions.findIndex(function (one) { return !one.querySelector("input:checked"); }), true);
      else form.requestSubmit();
    } else return;
    e.preventDefault();
  });
  form.addEventListener("focusin", function (e) {
    var found = questions.indexOf(e.target.closest("fieldset"));
    if (found >= 0 && found !== at) show(found, false);
  });
  form.addEventListener("change", say);
  show(at, false);
  if (window.matchMedia("(min-width: 1101px)").matches)  // beside the conversation, not below it
    questions[at].querySelector("input").focus({ preventScroll: true });
})();
