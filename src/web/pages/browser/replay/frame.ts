/**
 * Creates the iframe in which a recorded page is reconstructed: a `data:` document, which has an opaque origin and
 * inherits this document's Content-Security-Policy.
 */
const script = new URL(document.body.dataset['script'] ?? '', location.href).href;
const style = 'html,body{margin:0;height:100%;overflow:hidden}';
const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Replay</title><style>${style}</style><body><script src="${script}"></script>`;
const frame = document.createElement('iframe');
frame.title = 'Replay';
frame.src = `data:text/html;charset=utf-8,${encodeURIComponent(html)}`;
document.body.append(frame);
