// One file: scripts and styles are put into the page itself, so that it works from file:// and offline.
import { defineConfig, type Plugin } from "vite";

function inline(): Plugin {
  return {
    name: "inline",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (!page || page.type !== "asset") throw new Error("no page");
      let html = String(page.source);
      for (const [file, part] of Object.entries(bundle)) {
        if (part.type === "chunk") {
          const code = part.code.replace(/<\/script/gi, "<\\/script").replace(/<!--/g, "<\\!--");
          html = html.replace(/<script type="module"[^>]*src="[^"]*"[^>]*><\/script>/, "");
          html = html.replace("</body>", () => `<script type="module">${code}</script>\n</body>`);
        } else if (file.endsWith(".css")) {
          html = html.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${part.source}</style>`);
        } else continue;
        delete bundle[file];
      }
      page.source = html;
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [inline()],
  build: {
    target: "es2020",
    cssCodeSplit: false,
    modulePreload: false,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { output: { inlineDynamicImports: true } },
  },
});
