/** Points the links on every page to the URLs in the operator's settings: repository, sign-up, blog, social media. */
import { escapeHtml } from '../../../base/assets/escape.ts';
import type { Config } from '../../../base/config/config.ts';
import { site } from '../site/site.ts';

/** Replacements for the links of the build; a property is undefined when its setting is not set. */
export interface OperatorLinks {
  repositoryUrl?: string | undefined;
  /** Star count next to the repository link. */
  stars?: string | undefined;
  signUpUrl?: string | undefined;
  blogUrl?: string | undefined;
  socialUrls?: readonly string[] | undefined;
  /** True when the server has no dashboard to link to. */
  hidesDashboard?: boolean | undefined;
}

export const operatorLinksOf = (config: Config): OperatorLinks => ({
  repositoryUrl: config.DOCS_REPOSITORY_URL,
  stars: config.DOCS_STARS === site.stars ? undefined : config.DOCS_STARS,
  signUpUrl: config.DOCS_SIGN_UP_URL,
  blogUrl: config.DOCS_BLOG_URL,
  socialUrls: config.DOCS_SOCIAL_URLS,
  hidesDashboard: config.ENABLE_DASHBOARD ? undefined : true,
});

/** Display name of a social network: its hostname without `www`. */
const networkOf = (url: string): string => new URL(url).hostname.replace(/^www\./, '');

const externalLinkAttributes = (url: string): string =>
  `href="${escapeHtml(url)}" target="_blank" rel="noopener noreferrer"`;

/** Fills the placeholders that `src/web/docs/layout` has marked. */
export function fillLinks(html: string, links: OperatorLinks): string {
  let text = html;
  const setHref = (name: string, url: string | undefined) => {
    if (url !== undefined)
      text = text.replaceAll(
        new RegExp(`(<a data-link="${name}" )href="[^"]*"`, 'g'),
        (_, start) => start + externalLinkAttributes(url),
      );
  };
  setHref('repository', links.repositoryUrl);
  setHref('sign-up', links.signUpUrl);
  const { stars, blogUrl, socialUrls = [], hidesDashboard } = links;
  if (stars !== undefined) {
    text = text.replaceAll(/(data-stars="">)[^<]*/g, (_, start) => start + escapeHtml(stars));
  }
  if (hidesDashboard === true) {
    text = text.replaceAll(/(?:<li>)?<a data-link="dashboard"[^>]*>[^<]*<\/a>(?:<\/li>)?/g, '');
  }
  const more = [
    ...(blogUrl === undefined ? [] : [{ url: blogUrl, label: 'Blog' }]),
    ...socialUrls.map((url) => ({ url, label: networkOf(url) })),
  ].map(({ url, label }) => `<li><a ${externalLinkAttributes(url)}>${escapeHtml(label)}</a></li>`);
  return more.length === 0 ? text : text.replace('<li data-links="" hidden=""></li>', () => more.join(''));
}
