/** A server, and for how many ordinary sandboxes it said last that it has room. */
interface Roomy {
  room: number;
}

/**
 * Where a sandbox starts for which there is no room here: the server with most room is asked first, and ties are drawn. The
 * figures are some seconds old, so a server that is asked decides itself, and the next is asked where it has filled up meanwhile.
 *
 * Servers in turn would be asked alike, whatever they have: sandboxes differ in size, live from seconds to hours, and machines
 * differ. So one would get its turn although it is full, while another is empty.
 */
export const byRoom = <S extends Roomy>(servers: readonly S[], weight: number, random: () => number): S[] =>
  servers
    .filter(({ room }) => room >= weight)
    .map((server) => ({ server, draw: random() }))
    .sort((a, b) => b.server.room - a.server.room || a.draw - b.draw)
    .map(({ server }) => server);
