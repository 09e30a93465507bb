// The folders of src/build/, bottom-up. The builds run before the server and import from every layer. See
// .dependency-cruiser.mjs.
export default {
  '.': {
    holds: 'the server, the pages, the script that records pages, and code shared by the builds',
    packages: 'node esbuild',
  },
  docs: {
    holds: 'the documentation',
    imports: '.',
    packages:
      'node esbuild graphql hast hast-util-from-html hast-util-to-mdast hast-util-to-string mdast-util-gfm mdast-util-to-markdown mdx-bundler package.json react react-dom rehype-slug remark-directive remark-gfm shiki unist-util-visit valibot',
  },
  binary: { holds: 'the single binary', imports: '.', packages: 'node esbuild' },
};
