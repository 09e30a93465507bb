// Runs a client in its own process, for tests that kill it: `client-process.ts URL [JSON…]`. To a ws: URL it connects
// (as CLIENT_USER_AGENT, if that is set) and sends the messages, each after the response to the previous one. To an
// http: URL it posts the first message.
import process from 'node:process';
import { WebSocket } from 'ws';

const [url = '', ...messages] = process.argv.slice(2);

if (url.startsWith('http')) {
  void fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: messages[0] ?? '' });
  console.log('ready');
} else {
  const agent = process.env['CLIENT_USER_AGENT'];
  const socket = new WebSocket(url, agent === undefined ? {} : { headers: { 'User-Agent': agent } });
  const next = () => {
    const message = messages.shift();
    if (message === undefined) console.log('ready');
    else socket.send(message);
  };
  socket.on('open', next);
  socket.on('message', (data) => {
    // Events have no id.
    if ('id' in JSON.parse(data.toString())) next();
  });
  socket.on('error', (error) => console.log(error.message));
}
// Keeps the process alive until the test kills it.
setInterval(() => {}, 60_000);
