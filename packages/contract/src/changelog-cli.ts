import { apiChangelog } from './changelog.ts';

// Prints the page that is committed as docs/api-changelog.md; the check of the structure compares the two.
process.stdout.write(apiChangelog());
