// The folders of src/build/, bottom-up. The builds run before the server and import from every layer. See
// .dependency-cruiser.mjs.
export default {
  '.': { holds: 'the server bundle, and code shared by the other builds', packages: 'node esbuild' },
  recorder: { holds: 'the script that records pages', imports: '.', packages: 'node esbuild' },
  pages: { holds: 'live view, player and dashboard', imports: '.', packages: 'node esbuild' },
  docs: {
    holds: 'the documentation',
    imports: '.',
    packages:
      'node esbuild graphql hast hast-util-from-html hast-util-to-mdast hast-util-to-string mdast-util-gfm mdast-util-to-markdown mdx-bundler package.json react react-dom rehype-slug remark-directive remark-gfm shiki unist-util-visit valibot',
  },
  binary: { holds: 'the single binary', imports: '.', packages: 'node esbuild' },
};
