(function () {
  'use strict';
  var live = document.getElementById('live');
  if (!live) return;
  var state = document.getElementById('live-state');
  var share = document.getElementById('live-share');
  var table = document.getElementById('live-rows');
  var body = table.tBodies[0];
  var rows = {}, next = 0, all = 0, ended = 0, launches = 0, left = null, load = '', compared = false;

  function time(ns) {
    var units = [['ns', 1], ['µs', 1e3], ['ms', 1e6], ['s', 1e9]];
    var unit = units.filter(function (one) { return Math.abs(ns) >= one[1]; }).pop() || units[0];
    return (ns / unit[1]).toPrecision(4) + ' ' + unit[0];
  }

  // The estimate, and the farther end of its interval.
  function interval(of) {
    var half = Math.max(of.estimate - of.low, of.high - of.estimate);
    if (typeof of.low !== 'number' || typeof of.high !== 'number' || !isFinite(half) || !(of.estimate > 0)) return time(of.estimate);
    return time(of.estimate) + ' ± ' + (100 * half / of.estimate).toPrecision(2) + ' %';
  }

  function change(ratio) {
    var by = 100 * (ratio.estimate - 1);
    var half = 100 * Math.max(ratio.estimate - ratio.low, ratio.high - ratio.estimate);
    return (by < 0 ? '-' : '+') + Math.abs(by).toPrecision(2) + ' %' + (isFinite(half) && half > 0 ? ' ± ' + half.toPrecision(2) : '');
  }

  // Text alone is set, never markup: names come from the code that is measured.
  function visible(text) {
    var shown = String(text).replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, function (c) {
      return '\\u{' + c.charCodeAt(0).toString(16) + '}';
    });
    return shown.length > 120 ? shown.slice(0, 60) + '…' + shown.slice(-59) : shown;
  }

  // The columns of comparisons, as soon as there is one: a run that compares nothing has nothing to put there.
  function show(line) { line.cells[2].hidden = line.cells[3].hidden = !compared; }

  function row(one) {
    var own = rows[one.name];
    if (!own) {
      own = rows[one.name] = body.insertRow();
      for (var cell = 0; cell < 4; cell += 1) own.insertCell();
      own.cells[1].className = own.cells[2].className = 'n';
      show(own);
    }
    if (!compared && (one.ratio || one.verdict || one.again)) {
      compared = true;
      Array.prototype.forEach.call(table.rows, show);
    }
    own.cells[0].textContent = visible(one.name);
    var known = one.time && typeof one.time.estimate === 'number';
    own.cells[1].textContent = known ? interval(one.time) : visible(!compared && one.failed || '–');
    own.cells[2].textContent = one.ratio && typeof one.ratio.estimate === 'number' ? change(one.ratio) : '';
    var verdict = one.verdict === 'inconclusive' ? 'undecided' : one.verdict || '';
    own.cells[3].textContent = visible(one.failed || (one.again ? (verdict ? verdict + ' at first, ' : '') + 'measured again' : verdict));
  }

  function hear(event) {
    if (event.event === 'planned') { all = event.variants; launches = 0; ended = 0; }
    if (event.event === 'launched') launches += 1;
    if (event.event === 'rows') event.rows.forEach(row);
    if (event.event === 'ended') ended += 1;
    if (event.event === 'progress' && typeof event.share === 'number') { share.value = event.share; left = event.left_ns; }
    if (event.event === 'loading') {
      load = event.elapsed_s + ' s of load, ' + event.rate.toPrecision(3) + ' ' + visible(event.what) + ' a second, ' + event.failed + ' failed' +
        (typeof event.p99_ns === 'number' ? ', 99 % within ' + time(event.p99_ns) : '');
      if (event.blocks > 0) share.value = (event.block - 1) / event.blocks;
    }
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
      state.textContent = part.state + ': ' + (load || ended + ' of ' + all + ' measured, ' + launches + ' launches so far' +
        (share.value > 0 ? ', ' + Math.floor(100 * share.value) + ' %' : '') + (typeof left === 'number' && left > 0 ? ', ' + Math.ceil(left / 1e9) + ' s left' : ''));
      if (part.state !== 'running' && !more) { location.reload(); return; }
      setTimeout(look, 400);
    }).catch(function () {
      state.textContent = 'the server doesn’t answer';
      setTimeout(look, 2000);
    });
  }
  look();
})();
