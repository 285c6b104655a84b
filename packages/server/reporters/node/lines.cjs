'use strict';
const { appendFileSync } = require('node:fs');
const { join } = require('node:path');

const path = join(process.env.AGORA_REPORT, `node-${process.pid}-${Date.now()}.jsonl`);
const steering = new Set();

/** A full disk or a directory that is gone must not end the run: what is missing is no pass. */
function append(line) {
  try {
    appendFileSync(path, `${JSON.stringify(line)}\n`);
  } catch {}
}

exports.report = append;

/** A file that decides how tests run without being one. */
exports.steers = (file) => {
  if (typeof file !== 'string' || !file.startsWith('/') || steering.has(file)) return;
  steering.add(file);
  append({ steers: file });
};
