/**
 * Parses the list of hosts that a client reaches without the proxy: the host rules of Chromium's --proxy-bypass-list.
 */
import { unbracketed } from '../../../base/schema/request/addresses.ts';

/**
 * Rules separated by commas or semicolons: `example.com`, `.example.com` and `*.example.com` (all subdomains), `*`,
 * `<local>` (names without a dot), each optionally with `:port`. Other kinds of rules never match.
 */
export function bypassRules(list: string | undefined): (host: string, port: number) => boolean {
  const rules = (list ?? '')
    .split(/[,;]/)
    .map((rule) => /^(?:\w+:\/\/)?(<local>|[^:<>/]+|\[[\da-f:.]+\])(?::(\d+))?$/i.exec(rule.trim().toLowerCase()))
    .flatMap((match) => (match ? [{ host: match[1] ?? '', port: match[2] }] : []));
  return (host, port) =>
    rules.some((rule) => (rule.port === undefined || Number(rule.port) === port) && matches(rule.host, host));
}

function matches(rule: string, host: string): boolean {
  const name = host.toLowerCase();
  if (rule === '<local>') return !name.includes('.') && !name.includes(':');
  if (rule.startsWith('*')) return name.endsWith(rule.slice(1));
  return rule.startsWith('.') ? name.endsWith(rule) : name === unbracketed(rule);
}
