/** SVG paths of the icons in suggestions and in Ask, on the same grid as `src/web/theme/icons.tsx`. */
export const searchIcons = {
  page: 'M10 5.25C8.5 4 6 3.75 3 3.75v11.5c3 0 5.5.25 7 1.5 1.5-1.25 4-1.5 7-1.5V3.75c-3 0-5.5.25-7 1.5ZM10 5.25v11.5',
  heading: 'M4 7.5h12.5M3.5 12.5H16M8.25 3 6.75 17M13.25 3l-1.5 14',
  content: 'M3.5 5.5h13M3.5 10h13M3.5 14.5h8',
  ask: 'M3.25 5.25A1.75 1.75 0 0 1 5 3.5h10a1.75 1.75 0 0 1 1.75 1.75v6.5A1.75 1.75 0 0 1 15 13.5h-4.5L6.75 17v-3.5H5a1.75 1.75 0 0 1-1.75-1.75ZM7 8.5h6',
  close: 'm5 5 10 10M15 5 5 15',
} as const;

const namespace = 'http://www.w3.org/2000/svg';

export function iconElement(name: keyof typeof searchIcons): SVGSVGElement {
  const icon = document.createElementNS(namespace, 'svg');
  icon.setAttribute('class', 'i');
  icon.setAttribute('viewBox', '0 0 20 20');
  icon.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(namespace, 'path');
  path.setAttribute('d', searchIcons[name]);
  icon.append(path);
  return icon;
}
