/*
 * First file of the program on a server, dist/master/index.js. It checks the version of Node.js before it loads the
 * rest, which an old Node.js cannot even read. So this file has only syntax of ECMAScript 5.
 */
'use strict';

/* A test compares it with package.json. */
var NEEDED = '20.19';

/**
 * Returns whether the version `found` is at least `needed`.
 *
 * @param {string} found such as `18.19.0`
 * @param {string} needed such as `20.19`
 * @returns {boolean}
 */
function isAtLeast(found, needed) {
  var have = found.split('.').map(Number);
  var want = needed.split('.').map(Number);
  return have[0] > want[0] || (have[0] === want[0] && have[1] >= want[1]);
}

if (isAtLeast(process.versions.node, NEEDED)) {
  require('./master.js');
} else {
  var found = process.execPath + ' is version ' + process.versions.node;
  var needs = 'Overworld needs Node.js ' + NEEDED + ' or newer, but ' + found;
  console.error(needs + ': install a newer Node.js and start the master with it.');
  process.exitCode = 1;
}
