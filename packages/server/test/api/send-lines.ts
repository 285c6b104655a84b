import { connect } from 'node:net';

/** Sends these lines as they are, which no client would, and reads the one reply. */
export function sendLines(url: string, lines: string[]): Promise<Response> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const request = [...lines, 'Connection: close', '', ''].join('\r\n');
    const socket = connect(Number(port), hostname, () => socket.end(request));
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', body] = text.split('\r\n\r\n');
      const [status = '', ...fields] = head.split('\r\n');
      const headers = fields.map((field) => field.split(': ', 2) as [string, string]);
      resolve(new Response(body, { status: Number(status.split(' ')[1]), headers }));
    });
  });
}
