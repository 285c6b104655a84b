import { readFileSync } from 'node:fs';
import { openApiDocument } from './openapi.ts';

// Prints the document that is committed as docs/openapi.json; the test suite compares the two.
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
console.log(JSON.stringify(openApiDocument(version), null, 2));
