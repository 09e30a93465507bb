// A client in a process of its own, for tests that kill it: `client-process.ts URL [JSON…]`. A ws: address is connected
// to and gets the messages, each after the answer to the one before; to an http: address the first one is posted.
import process from 'node:process';
import WebSocket from 'ws';

const [url = '', ...messages] = process.argv.slice(2);

if (url.startsWith('http')) {
  void fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: messages[0] ?? '' });
  console.log('ready');
} else {
  const socket = new WebSocket(url);
  const next = () => {
    const message = messages.shift();
    if (message === undefined) console.log('ready');
    else socket.send(message);
  };
  socket.on('open', next);
  socket.on('message', next);
  socket.on('error', (error) => console.log(error.message));
}
// Until it is killed.
setInterval(() => {}, 60_000);
