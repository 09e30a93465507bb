/** Forms of the demo site: one that shows what was submitted, one that accepts a file, and a login. */
import { escapeHtml } from '../../base/assets/escape.ts';
import { demoSiteLimits } from '../../base/limits.ts';
import { type PageHandler, page, seeOther, type Visit } from './page.ts';

const topics = ['A question', 'An order', 'A complaint'];

function form(visit: Visit): Response {
  const options = topics.map((name) => `<option>${name}</option>`).join('');
  const body = `<main><h1>Form</h1><form action="${visit.base}/form/sent">
<p><label for="name">Name</label><input id="name" name="name" required autocomplete="name"></p>
<p><label for="email">Email</label><input id="email" name="email" type="email" autocomplete="email"></p>
<p><label for="topic">Topic</label><select id="topic" name="topic">${options}</select></p>
<p><label for="message">Message</label><textarea id="message" name="message" rows="3"></textarea></p>
<p><label><input id="news" name="news" type="checkbox" value="yes"> Send me news</label></p>
<p><button id="send">Send</button></p>
</form></main>`;
  return page(visit, { title: 'Form', body });
}

function sent(visit: Visit): Response {
  const { query } = visit;
  const rows = [...query].slice(0, demoSiteLimits.shownFields).map(([name, value]) => {
    const shown = (text: string) => escapeHtml(text.slice(0, demoSiteLimits.shownCharacters));
    return `<dt>${shown(name)}</dt><dd>${shown(value)}</dd>`;
  });
  const name = escapeHtml((query.get('name') || 'stranger').slice(0, demoSiteLimits.shownCharacters));
  const body = `<main><h1>Thank you, ${name}</h1><dl class="sent">${rows.join('')}</dl><p><a href="${visit.base}/form">Send another</a></p></main>`;
  return page(visit, { title: 'Sent', body });
}

function upload(visit: Visit): Response {
  const body = `<main><h1>Upload</h1><p><label for="file">A file</label><input id="file" type="file"></p><p id="chosen" role="status">No file chosen yet.</p></main>`;
  return page(visit, { title: 'Upload', body, script: 'upload.js' });
}

const person = { user: 'ada', password: 'lovelace' };

/** The cookie of signed-in people. It gives access only to the page /account. */
export const cookieName = 'playground';

function loginPage(visit: Visit, problem: string, status: number): Response {
  const body = `<main><h1>Login</h1><p>The name is <code>${person.user}</code>, the password is <code>${person.password}</code>.</p><form method="post" action="${visit.base}/login">
<p><label for="user">Name</label><input id="user" name="user" required autocomplete="username"></p>
<p><label for="password">Password</label><input id="password" name="password" type="password" required autocomplete="current-password"></p>
<p class="problem" role="alert">${problem}</p>
<p><button id="sign-in">Sign in</button></p>
</form></main>`;
  return page(visit, { title: 'Login', body, status });
}

function signIn(visit: Visit): Response {
  const { form: given, root } = visit;
  if (given.get('user') !== person.user || given.get('password') !== person.password)
    return loginPage(visit, 'Wrong name or password.', 403);
  return seeOther(`${root}/account`, { 'Set-Cookie': `${cookieName}=${person.user}; Path=/; HttpOnly; SameSite=Lax` });
}

function account(visit: Visit): Response {
  if (visit.person !== person.user) return seeOther(`${visit.root}/login`);
  const body = `<main><h1>Hello, Ada</h1><p class="orders">You have 3 orders.</p><form method="post" action="${visit.base}/logout"><button id="sign-out">Sign out</button></form></main>`;
  return page(visit, { title: 'Account', body });
}

const signOut: PageHandler = ({ root }) =>
  seeOther(`${root}/login`, { 'Set-Cookie': `${cookieName}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0` });

/** Handlers of GET requests by path. */
export const formPages: Readonly<Record<string, PageHandler>> = {
  '/form': form,
  '/form/sent': sent,
  '/upload': upload,
  '/login': (visit) => (visit.person === '' ? loginPage(visit, '', 200) : seeOther(`${visit.root}/account`)),
  '/account': account,
};

/** Handlers of POST requests by path. */
export const formActions: Readonly<Record<string, PageHandler>> = { '/login': signIn, '/logout': signOut };
