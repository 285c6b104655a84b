import { openDoor } from './door.ts';
import { DOOR_PORT, DOOR_VARIABLES, INNER_DOOR, LAYER } from './door-terms.ts';

/** The program of the container `door`. */

const { [DOOR_VARIABLES.key]: key = '', [DOOR_VARIABLES.patienceMs]: patienceMs } = process.env;
const door = await openDoor({
  key: Buffer.from(key, 'hex'),
  port: DOOR_PORT,
  inner: INNER_DOOR,
  patienceMs: Number(patienceMs),
  layer: LAYER,
});
process.on('SIGTERM', door.stop);
console.log(await door.ended);
process.exit(0);
