// The script of react-app.html.
import { createElement, useEffect, useState } from 'react';
import { createPortal, flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

const tasks = ['Read the page', 'Print it', 'Archive it'];

function App() {
  const [done, setDone] = useState([]);
  const [text, setText] = useState('');
  useEffect(() => {
    setTimeout(() => {
      setDone(['Print it']);
      setText('Typed later');
      setTimeout(() => delete document.documentElement.dataset.busy, 50);
    });
  }, []);
  const item = (task) =>
    createElement(
      'li',
      { key: task, className: done.includes(task) ? 'done' : '' },
      createElement('input', { type: 'checkbox', checked: done.includes(task), readOnly: true }),
      task,
    );
  return createElement(
    'main',
    null,
    createElement('h1', null, `${done.length} of ${tasks.length} done`),
    createElement('ul', null, tasks.map(item)),
    createElement('input', { value: text, readOnly: true, style: { width: 300, fontSize: 24 } }),
    createPortal(createElement('div', { className: 'toast' }, 'Saved'), document.body),
  );
}

flushSync(() => createRoot(document.getElementById('app')).render(createElement(App)));
