// Serves a page that tries to reach another host in every way that a page can, and sets its title when it is done.
import type { SiteHandler } from './site.ts';

/** The methods of `/reaches?to=<origin>`: each requests `<origin>/out/<way>`. */
export const ways =
  'img script style background fetch xhr beacon frame form events socket worker redirect redirected-frame audio object module prefetch refresh'.split(
    ' ',
  );

export const reachingPages: Record<string, SiteHandler> = {
  '/reaches': (request) => {
    const to = JSON.stringify(request.query.get('to'));
    return `<!doctype html><title>trying</title><body><script type="module">
      const to = ${to};
      const out = (way) => to + '/out/' + way;
      const turned = (way) => '/redirect?to=' + encodeURIComponent(out(way));
      const add = (name, members) => new Promise((resolve) => {
        const element = Object.assign(document.createElement(name), members);
        element.onload = element.onerror = resolve;
        document.body.append(element);
      });
      const ended = (target, ...names) => new Promise((resolve) => names.forEach((name) => target['on' + name] = resolve));
      const xhr = new XMLHttpRequest();
      xhr.open('GET', out('xhr'));
      xhr.send();
      navigator.sendBeacon(out('beacon'), 'x');
      const code = 'fetch(' + JSON.stringify(out('worker')) + ', {mode: "no-cors"}).finally(() => postMessage(0))';
      const sheet = document.createElement('style');
      sheet.textContent = 'body { background: url(' + out('background') + ') }';
      document.head.append(sheet);
      const frame = document.createElement('iframe');
      frame.name = 'formed';
      document.body.append(frame);
      const form = Object.assign(document.createElement('form'), {action: out('form'), method: 'post', target: 'formed'});
      document.body.append(form);
      form.submit();
      const events = new EventSource(out('events'));
      const all = [
        add('img', {src: out('img')}),
        add('script', {src: out('script')}),
        add('link', {rel: 'stylesheet', href: out('style')}),
        fetch(out('fetch'), {mode: 'no-cors'}),
        ended(xhr, 'loadend'),
        add('iframe', {src: out('frame')}),
        ended(events, 'error'),
        ended(new WebSocket(out('socket').replace('http', 'ws')), 'error', 'open'),
        ended(new Worker(URL.createObjectURL(new Blob([code]))), 'message'),
        fetch(turned('redirect'), {mode: 'no-cors'}),
        add('iframe', {src: turned('redirected-frame')}),
        add('link', {rel: 'prefetch', href: out('prefetch')}),
        add('iframe', {srcdoc: '<meta http-equiv=refresh content="0;url=' + out('refresh') + '">'}),
        ended(new Audio(out('audio')), 'error'),
        add('object', {data: out('object')}),
        import(out('module')).catch(() => {}),
      ];
      await Promise.race([Promise.allSettled(all), new Promise((resolve) => setTimeout(resolve, 5000))]);
      events.close();
      document.title = 'tried';
    </script>`;
  },
};
