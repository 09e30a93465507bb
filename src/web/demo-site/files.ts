/** Files of the demo site: style, scripts and downloads. */
import { file, type PageHandler } from './page.ts';

const style = `:root{color-scheme:light}
body{margin:0;font:16px/1.5 "Liberation Sans",Arial,system-ui,sans-serif;color:#2c2018;background:#fffdf9}
main{max-width:960px;margin:0 auto;padding:24px 32px}
h1{font-size:34px;line-height:1.15;letter-spacing:-.02em;margin:24px 0 16px}
a{color:#0c5e55}
label{display:inline-block;min-width:96px}
input,select,textarea,button{font:inherit;padding:6px 10px;border:1px solid #8b7d70;border-radius:6px;background:#fff;color:inherit}
input[type=checkbox]{padding:0}
button{background:#2c2018;color:#fff;border-color:#2c2018;cursor:pointer}
table{border-collapse:collapse}
th,td{padding:6px 16px 6px 0;border-bottom:1px solid #e6dfd5;text-align:left}
iframe{border:1px solid #e6dfd5;border-radius:8px;width:100%;height:240px}
.items{padding-left:24px}
.item{border-bottom:1px solid #e6dfd5;min-height:96px}
.item h2{font-size:18px;margin:12px 0 4px}
.problem{color:#8a1f2d}
.shop-bar{display:flex;justify-content:space-between;align-items:center;max-width:960px;margin:0 auto;padding:20px 32px 0}
.shop-bar nav a{margin-left:24px;color:#6d5d50;text-decoration:none;font-size:15px}
.brand{font-weight:600;color:#2c2018;text-decoration:none}
.shop h1{font-size:52px;max-width:14em}
.lead{color:#6d5d50;font-size:18px;margin-bottom:32px}
.products{display:grid;grid-template-columns:repeat(auto-fill,minmax(190px,1fr));gap:24px;padding:0;list-style:none}
.product a{color:inherit;text-decoration:none}
.product img{display:block;width:100%;height:auto;background:#f3efe8;border-radius:12px;margin-bottom:12px}
.product .name{display:block;font-weight:500}
.price{color:#6d5d50}
`;

const scrollScript = `// Loads the next entries when the end of the list is near.
const list = document.querySelector('.items');
const end = document.querySelector('#end');
let loading = false;
const watcher = new IntersectionObserver(async ([entry]) => {
  if (!entry.isIntersecting || loading) return;
  loading = true;
  const last = Number(list.lastElementChild.dataset.number);
  const response = await fetch(list.dataset.from + '?after=' + last);
  const { items, more } = await response.json();
  for (const { number, title, text } of items) {
    const row = document.createElement('li');
    row.className = 'item';
    row.dataset.number = number;
    const heading = document.createElement('h2');
    heading.textContent = title;
    const words = document.createElement('p');
    words.textContent = text;
    row.append(heading, words);
    list.append(row);
  }
  loading = false;
  watcher.disconnect();
  if (more) watcher.observe(end);
  else end.textContent = 'End of list.';
}, { rootMargin: '200px' });
watcher.observe(end);
`;

const uploadScript = `// Shows which file was chosen; it is not sent anywhere.
const input = document.querySelector('#file');
input.addEventListener('change', () => {
  const [file] = input.files;
  document.querySelector('#chosen').textContent = file ? file.name + ', ' + file.size + ' bytes' : 'No file chosen.';
});
`;

const framesScript = `// Puts a button into a shadow root.
const root = document.querySelector('#shadow').attachShadow({ mode: 'open' });
const button = document.createElement('button');
button.textContent = 'In the shadow';
button.addEventListener('click', () => { document.querySelector('#pressed').textContent = 'The button was pressed.'; });
root.append(button);
`;

const csv = 'planet,diameter_km,moons\nMercury,4879,0\nVenus,12104,0\nEarth,12756,1\nMars,6792,2\n';

/** Builds a PDF of one page with one line of text, and computes the offsets of its cross-reference table. */
function smallPdf(text: string): string {
  const stream = `BT /F1 24 Tf 72 720 Td (${text}) Tj ET`;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${stream.length}>>stream\n${stream}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  let pdf = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = pdf.length;
    pdf += `${index + 1} 0 obj${object}endobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const table = pdf.length;
  return `${pdf}xref\n0 6\n0000000000 65535 f \n${offsets.join('')}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${table}\n%%EOF\n`;
}

const attached = (name: string) => ({ 'Content-Disposition': `attachment; filename="${name}"` });

/** The files by path. */
export const files: Readonly<Record<string, PageHandler>> = {
  '/style.css': file('text/css; charset=utf-8', style),
  '/scroll.js': file('text/javascript; charset=utf-8', scrollScript),
  '/upload.js': file('text/javascript; charset=utf-8', uploadScript),
  '/frames.js': file('text/javascript; charset=utf-8', framesScript),
  '/robots.txt': file('text/plain; charset=utf-8', 'User-agent: *\nAllow: /\nDisallow: /account\n'),
  '/planets.csv': file('text/csv; charset=utf-8', csv, attached('planets.csv')),
  '/report.pdf': file('application/pdf', smallPdf('A report from the playground'), attached('report.pdf')),
};
