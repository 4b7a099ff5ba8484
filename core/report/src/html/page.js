(function () {
  'use strict';
  var tables = Array.prototype.slice.call(document.querySelectorAll('table.sortable'));
  var form = document.getElementById('find');

  function value(row, column) {
    var cell = row.cells[column];
    var number = cell.getAttribute('data-v');
    if (number !== null) return parseFloat(number);
    return cell.className.indexOf('n') === 0 ? NaN : cell.textContent.trim().toLowerCase();
  }

  function compare(a, b) {
    var none = [a, b].map(function (one) { return one !== one; });
    // What has no value stays last, whatever the direction.
    if (none[0] || none[1]) return none[0] - none[1];
    return 0;
  }

  function sort(table, column, header) {
    var falling = header.getAttribute('aria-sort') !== 'descending';
    table.querySelectorAll('th[aria-sort]').forEach(function (other) { other.removeAttribute('aria-sort'); });
    header.setAttribute('aria-sort', falling ? 'descending' : 'ascending');
    var body = table.tBodies[0];
    var rows = Array.prototype.slice.call(body.rows).map(function (row) { return [value(row, column), row]; });
    rows.sort(function (x, y) {
      var missing = compare(x[0], y[0]);
      if (missing) return missing;
      var order = typeof x[0] === 'string' ? -x[0].localeCompare(y[0]) : x[0] - y[0];
      return falling ? -order : order;
    });
    rows.forEach(function (row) { body.appendChild(row[1]); });
  }

  tables.forEach(function (table) {
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (header, column) {
      if (header.hasAttribute('data-unsorted')) return;
      var button = document.createElement('button');
      button.type = 'button';
      button.title = 'Sort by this column';
      while (header.firstChild) button.appendChild(header.firstChild);
      header.appendChild(button);
      button.addEventListener('click', function () { sort(table, column, header); });
    });
  });

  function search() {
    var words = form.elements.words.value.trim().toLowerCase();
    var only = form.elements.only ? form.elements.only.value : '';
    var shown = 0, all = 0;
    var rest = document.getElementById('rest');
    if (rest && (words || only)) rest.open = true;
    tables.forEach(function (table) {
      Array.prototype.forEach.call(table.tBodies[0].rows, function (row) {
        var hit = row.cells[0].textContent.toLowerCase().indexOf(words) >= 0 &&
          (!only || row.getAttribute('data-k') === only);
        row.hidden = !hit;
        shown += hit;
        all += 1;
      });
    });
    form.querySelector('[role=status]').textContent = shown < all ? shown + ' of ' + all + ' shown' : '';
  }

  if (form) {
    form.hidden = false;
    form.addEventListener('submit', function (event) { event.preventDefault(); });
    form.addEventListener('input', search);
  }

  function open() {
    var target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (target && target.tagName === 'DETAILS') {
      target.open = true;
      target.scrollIntoView();
    }
  }
  window.addEventListener('hashchange', open);
  open();
})();
