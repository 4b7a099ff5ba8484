(function () {
  'use strict';
  // A published list of cases has no server that searches and sorts it.
  var table = document.getElementById('cases-list'), place = document.getElementById('cases-search');
  if (!table || !place) { return; }
  var body = table.tBodies[0], rows = Array.prototype.slice.call(body.rows), status = document.querySelector('[role="status"]'), all = status.textContent;

  function search(text) {
    var words = text.toLowerCase().split(/\s+/).filter(Boolean), found = 0;
    rows.forEach(function (row) {
      var name = row.cells[0].title.toLowerCase();
      row.hidden = !words.every(function (word) { return name.indexOf(word) >= 0; });
      found += row.hidden ? 0 : 1;
    });
    status.textContent = words.length ? found + ' of ' + rows.length + ' cases' : all;
  }

  // Times fall first, as the newest changes do; names rise.
  function sort(head, at) {
    var falls = head.getAttribute('aria-sort') ? head.getAttribute('aria-sort') !== 'descending' : at > 0, sign = falls ? -1 : 1;
    var key = function (row) { return row.cells[at].getAttribute('data-by') || ''; };
    var isNumber = head.getAttribute('data-sorts') === 'number';
    rows.sort(function (one, other) {
      var a = key(one), b = key(other);
      // What has none stands last, whichever way.
      if (!a || !b) { return a ? -1 : b ? 1 : 0; }
      return sign * (isNumber ? a - b : a < b ? -1 : a > b ? 1 : 0);
    });
    rows.forEach(function (row) { body.appendChild(row); });
    Array.prototype.forEach.call(head.parentNode.cells, function (cell) { cell.removeAttribute('aria-sort'); });
    head.setAttribute('aria-sort', falls ? 'descending' : 'ascending');
  }

  Array.prototype.forEach.call(table.tHead.rows[0].cells, function (head, at) {
    if (!head.hasAttribute('data-sorts')) { return; }
    var button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent.replace(/ ↓$/, '');
    button.addEventListener('click', function () { sort(head, at); });
    head.textContent = '';
    head.appendChild(button);
  });
  place.hidden = false;
  place.querySelector('input').addEventListener('input', function () { search(this.value); });
})();
