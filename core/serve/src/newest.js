(function () {
  'use strict';
  // Of a history that is wider than its window the newest runs are seen first.
  document.querySelectorAll('figure.picture .wide').forEach(function (one) { one.scrollLeft = one.scrollWidth; });
})();
