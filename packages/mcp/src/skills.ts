import { fileURLToPath } from 'node:url';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';

/** What models are taught by the protocol's Skills extension (SEP-2640): each is a folder of `skills/`. */
export const skills = await loadSkills(fileURLToPath(new URL('../skills', import.meta.url)));
