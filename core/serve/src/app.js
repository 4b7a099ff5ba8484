(function () {
  'use strict';
  // Of a long history the newest runs are seen first.
  document.querySelectorAll('svg.long').forEach(function (one) { one.parentNode.scrollLeft = one.parentNode.scrollWidth; });
  var live = document.getElementById('live');
  if (!live) return;
  var state = document.getElementById('live-state');
  var share = document.getElementById('live-share');
  var body = document.getElementById('live-rows').tBodies[0];
  var rows = {}, next = 0, groups = 0, ended = 0, launches = 0;

  function time(ns) {
    var units = [['ns', 1], ['µs', 1e3], ['ms', 1e6], ['s', 1e9]];
    var unit = units.filter(function (one) { return Math.abs(ns) >= one[1]; }).pop() || units[0];
    return (ns / unit[1]).toPrecision(4) + ' ' + unit[0];
  }

  // Text alone is set, never markup: names come from the code that is measured.
  function visible(text) {
    var shown = String(text).replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, function (c) {
      return '\\u{' + c.charCodeAt(0).toString(16) + '}';
    });
    return shown.length > 120 ? shown.slice(0, 60) + '…' + shown.slice(-59) : shown;
  }

  function row(one) {
    var own = rows[one.name];
    if (!own) {
      own = rows[one.name] = body.insertRow();
      for (var cell = 0; cell < 3; cell += 1) own.insertCell();
      own.cells[1].className = 'n';
    }
    own.cells[0].textContent = visible(one.name);
    var known = one.time && typeof one.time.estimate === 'number';
    own.cells[1].textContent = known ? time(one.time.estimate) : '–';
    own.cells[2].textContent = one.failed || (one.again ? 'measured again' : one.verdict || '');
  }

  function hear(event) {
    if (event.event === 'planned') { groups = event.groups.length; launches = 0; }
    if (event.event === 'launched') launches += 1;
    if (event.event === 'rows') event.rows.forEach(row);
    if (event.event === 'ended') ended += 1;
    if (event.event === 'progress' && typeof event.share === 'number') share.value = event.share;
    if (event.event === 'notice') state.textContent = visible(event.message);
  }

  function look() {
    fetch('/api/v1/runs/' + encodeURIComponent(live.getAttribute('data-run')) + '/events?from=' + next).then(function (answer) {
      return answer.json();
    }).then(function (part) {
      if (part.error) { state.textContent = visible(part.error); setTimeout(look, 2000); return; }
      part.events.forEach(hear);
      var more = part.next > next;
      next = part.next;
      state.textContent = part.state + ': ' + groups + ' groups, ' + launches + ' launches, ' + ended + ' variants done';
      if (part.state !== 'running' && !more) { location.reload(); return; }
      setTimeout(look, 400);
    }).catch(function () {
      state.textContent = 'the server doesn’t answer';
      setTimeout(look, 2000);
    });
  }
  look();
})();
