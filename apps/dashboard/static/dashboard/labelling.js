// Rating by keyboard alone. Without this the form works with the tab and arrow keys.
(function () {
  "use strict";
  var form = document.getElementById("cal-form");
  if (!form) return;
  var questions = Array.prototype.slice.call(form.querySelectorAll("fieldset"));
  var save = form.querySelector("footer button");
  var at = Math.max(
    0,
    questions.findIndex(function (one) {
      return !one.querySelector("input:checked");
    }),
  );

  function show(next, focus) {
    at = Math.max(0, Math.min(questions.length - 1, next));
    questions.forEach(function (one, n) {
      one.classList.toggle("cal-on", n === at);
      var meanings = one.querySelector("details");
      if (meanings) meanings.open = n === at; // what the points mean, of the criterion at hand
    });
    if (focus) {
      var input = questions[at].querySelector("input:checked") || questions[at].querySelector("input");
      input.focus({ preventScroll: true });
      questions[at].scrollIntoView({ block: "nearest" });
    }
    say();
  }
  function open() {
    return questions.filter(function (one) {
      return !one.querySelector("input:checked");
    }).length;
  }
  function say() {
    var left = open();
    document.getElementById("cal-progress").textContent = left
      ? form.dataset.left.replace("OPEN", left).replace("ALL", questions.length)
      : form.dataset.done;
  }
  function unrated(from) {
    return questions.findIndex(function (one, n) {
      return n >= from && !one.querySelector("input:checked");
    });
  }
  // All is rated: the next digit must not fall on the last criterion again, so that the focus goes to the button.
  function finish() {
    questions.forEach(function (one) {
      one.classList.remove("cal-on");
    });
    save.focus();
    say();
  }
  function rate(key) {
    if (document.activeElement === save) {
      say();
      return true;
    }
    var input = questions[at].querySelector('input[data-key="' + key + '"]');
    if (!input) return false;
    input.checked = true;
    unsaved = true;
    var next = correcting ? at + 1 : !open() ? questions.length : unrated(at + 1) < 0 ? unrated(0) : unrated(at + 1);
    if (next >= questions.length) finish();
    else show(next, true);
    return true;
  }
  // Ratings stand in the page alone until they are saved: whoever leaves is asked first.
  var unsaved = false;
  form.addEventListener("change", function () {
    unsaved = true;
  });
  form.addEventListener("submit", function () {
    unsaved = false;
  });
  window.addEventListener("beforeunload", function (e) {
    if (unsaved) e.preventDefault();
  });
  var correcting = !open(); // one's own rating again: digits go down the list
  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    var target = e.target;
    if (target.tagName === "TEXTAREA") {
      if (e.key === "Escape") {
        show(at, true);
        e.preventDefault();
      }
      return;
    }
    if (target.tagName === "SELECT" || (target.tagName === "INPUT" && target.type !== "radio")) return;
    var key = e.key;
    if (/^[0-9x]$/.test(key)) {
      if (!rate(key)) return;
    } else if (key === "ArrowDown") show(at + 1, true);
    else if (key === "ArrowUp") show(document.activeElement === save ? at : at - 1, true);
    else if (key === "r") questions[at].querySelector("textarea").focus();
    else if (key === "s" && form.dataset.skip) window.location.assign(form.dataset.skip);
    else if (key === "n") {
      if (open())
        show(
          questions.findIndex(function (one) {
            return !one.querySelector("input:checked");
          }),
          true,
        );
      else form.requestSubmit();
    } else return;
    e.preventDefault();
  });
  function follow(target) {
    var found = questions.indexOf(target.closest("fieldset"));
    if (found >= 0 && found !== at) show(found, false);
  }
  // Meanings that open and close move the points: between a press and its release the click would miss its own.
  var pressed = false;
  form.addEventListener("mousedown", function () {
    pressed = true;
  });
  window.addEventListener("mouseup", function () {
    setTimeout(function () {
      pressed = false;
      follow(document.activeElement);
    }, 0);
  });
  form.addEventListener("focusin", function (e) {
    if (!pressed) follow(e.target);
  });
  form.addEventListener("change", say);
  show(at, false);
  if (window.matchMedia("(min-width: 1101px)").matches)
    // beside the conversation, not below it
    questions[at].querySelector("input").focus({ preventScroll: true });
})();
