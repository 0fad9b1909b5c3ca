"""The style of everything drawn in HTML: light, dark and narrow, for all common colour visions."""

from __future__ import annotations

# Okabe and Ito's vermillion, blue, sky blue and grey, lighter on dark pages. Everything stands under
# .claimwise, so that a host page (Gradio, Jupyter) keeps its own looks. Gradio marks its dark theme with the
# class dark and Jupyter with an attribute; elsewhere the reader's system decides.
STYLE = """
.claimwise {
  color-scheme: light dark;
  --ink: light-dark(#1b1f24, #e6edf3); --soft: light-dark(#57606a, #9aa4af);
  --page: light-dark(#ffffff, #0d1117); --panel: light-dark(#f6f8fa, #161b22);
  --line: light-dark(#d0d7de, #30363d); --grey: light-dark(#8c959f, #7d8590);
  --red: light-dark(#d55e00, #ff9a56); --blue: light-dark(#0072b2, #6cb6ff);
  --sky: light-dark(#56b4e9, #a5d8ff);
  container-type: inline-size; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; text-align: left;
}
.gradio-container .claimwise, [data-jp-theme-light="true"] .claimwise { color-scheme: light; }
.dark .claimwise, .claimwise.dark, [data-jp-theme-light="false"] .claimwise { color-scheme: dark; }
.claimwise *, .claimwise *::before { box-sizing: border-box; }
.claimwise h1 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 .25rem; color: inherit; }
.claimwise h2 { font-size: 1.15rem; line-height: 1.3; margin: 2rem 0 .5rem; color: inherit; }
.claimwise h3 { font-size: 1rem; line-height: 1.3; margin: 1.25rem 0 .5rem; color: inherit; }
.claimwise p { margin: .4rem 0; color: inherit; }
.claimwise ul, .claimwise ol { list-style: none; margin: 0; padding: 0; }
.claimwise li { margin: 0; padding: 0; }
.claimwise .soft { color: var(--soft); font-size: .875rem; }
.claimwise .number { font-variant-numeric: tabular-nums; }
.claimwise :focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; }

.claimwise .scale { margin: .5rem 0 1rem; }
.claimwise .scale strong { font-size: 1.25rem; }
.claimwise .track { position: relative; height: .6rem; margin: .35rem 0; border-radius: .3rem; }
.claimwise .track.contrast { background: linear-gradient(90deg, var(--blue), var(--line), var(--red)); }
.claimwise .track.support { background: linear-gradient(90deg, var(--line), var(--blue)); }
.claimwise .track i { position: absolute; top: -.25rem; width: .35rem; height: 1.1rem; border-radius: .1rem;
  background: var(--ink); border: 1px solid var(--page); transform: translateX(-50%); }
.claimwise .ends { display: flex; justify-content: space-between; gap: 1rem; }

.claimwise .sides { position: relative; display: grid; gap: 0 1.25rem;
  grid-template-columns: repeat(2, minmax(0, 1fr));
  padding-bottom: 12.5rem; }
.claimwise .sides > .hint { position: absolute; inset: auto 0 0 0; height: 11.5rem; margin: 0; padding: 1rem;
  border: 1px dashed var(--line); border-radius: .375rem; }
.claimwise .panel { max-height: 40rem; overflow: auto; padding: 2px; }
.claimwise .sentence { margin: .6rem 0 .3rem; color: var(--soft); font-size: .875rem; }
.claimwise .claim { border-left: .35rem solid var(--tone); margin: 0 0 .4rem; border-radius: .25rem;
  background: color-mix(in srgb, var(--tone) 10%, var(--panel)); }
.claimwise .claim summary { display: block; cursor: pointer; padding: .4rem .75rem; border-radius: .25rem; }
.claimwise .claim summary::-webkit-details-marker { display: none; }
.claimwise .claim:hover summary { background: color-mix(in srgb, var(--tone) 14%, transparent); }
.claimwise .tag { display: block; font-size: .8rem; color: var(--soft); }
.claimwise .tag b { color: var(--ink); }
.claimwise .tag::after { content: "▸"; float: right; }
.claimwise .claim[open] .tag::after { content: "▾"; }
.claimwise .why { padding: 0 .75rem .6rem; font-size: .9rem; }
.claimwise .why li { margin: .35rem 0; }
.claimwise .red { --tone: var(--red); } .claimwise .blue { --tone: var(--blue); }
.claimwise .sky { --tone: var(--sky); } .claimwise .grey { --tone: var(--grey); }

/* Pointing at a claim, or tabbing to it, shows below both summaries what opening it shows in its place. */
@container (min-width: 40rem) {
  .claimwise .sides .claim:not([open]):is(:hover, :focus-within)::details-content {
    content-visibility: visible; }
  .claimwise .sides .claim:not([open]):is(:hover, :focus-within) .why { position: absolute; z-index: 1;
    inset: auto 0 0 0; height: 11.5rem; overflow: auto; padding: .6rem 1rem; border-radius: .375rem;
    border: 2px solid var(--tone); background: var(--page); }
  .claimwise .sides .claim:not([open]):hover .why { z-index: 2; }
}
.claimwise .scroll { overflow: auto; max-height: 36rem; }
.claimwise table { border-collapse: collapse; width: auto; margin: .35rem 0; font-size: .875rem; }
.claimwise th, .claimwise td { border: 1px solid var(--line); padding: .25rem .5rem; color: inherit;
  background: none; text-align: left; vertical-align: top; font-weight: 400; overflow-wrap: normal; }
.claimwise th { color: var(--soft); font-weight: 600; }
.claimwise th[scope="row"] { white-space: nowrap; }
.claimwise .matrix th[scope="row"] { white-space: normal; }
.claimwise td.number { text-align: right; white-space: nowrap; }
.claimwise td.bar { min-width: 7.5rem; background: linear-gradient(90deg,
  color-mix(in srgb, var(--tone) 40%, var(--page)) var(--share), transparent var(--share)); }
.claimwise .matrix td { text-align: center; vertical-align: middle; white-space: nowrap; min-width: 4.5rem;
  background: color-mix(in srgb, var(--tone) var(--share), var(--page)); }
.claimwise .matrix td.grey { background: none; color: var(--soft); }
.claimwise .matrix thead th { position: sticky; top: 0; z-index: 1; min-width: 6rem;
  background: var(--page); }
.claimwise .matrix tbody th { position: sticky; left: 0; background: var(--page); }
.claimwise .matrix .text { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3;
  overflow: hidden; max-width: 16rem; font-weight: 400; overflow-wrap: anywhere; }

.claimwise mark { color: inherit; border-bottom: 2px solid var(--tone); padding: 0 .1rem;
  background: color-mix(in srgb, var(--tone) 22%, transparent); }
.claimwise .sizes { display: grid; grid-template-columns: max-content minmax(6rem, 24rem) max-content;
  gap: .15rem .6rem; align-items: center; margin: .5rem 0; font-size: .875rem; }
.claimwise .sizes i { height: .9rem; border-radius: .15rem; min-width: 2px; width: var(--share);
  background: var(--tone); }
.claimwise .meter { display: block; height: .4rem; margin-top: .25rem; border-radius: .2rem;
  background: linear-gradient(90deg, var(--tone) var(--share), var(--line) var(--share)); }
.claimwise dl { margin: 0; } .claimwise dt { font-weight: 600; margin-top: .6rem; }
.claimwise dd { margin: 0 0 0 1rem; }
.claimwise .chip { display: inline-block; border: 1px solid var(--line); border-radius: .25rem;
  padding: 0 .35rem; margin: .1rem; background: var(--panel); }
.claimwise .warning { border: 1px solid var(--red); border-left-width: .35rem; border-radius: .25rem;
  padding: .5rem .75rem; }
.claimwise .histograms { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); }
.claimwise figure { margin: 0; } .claimwise svg { display: block; width: 100%; max-width: 26rem; }
.claimwise svg .bars { fill: var(--blue); } .claimwise svg path { stroke: var(--soft); }
.claimwise svg .mean { stroke: var(--ink); stroke-width: 2; stroke-dasharray: 4 3; }
.claimwise svg text { fill: var(--soft); font-size: 12px; }
.claimwise .example { border: 1px solid var(--line); border-radius: .375rem; margin: 0 0 .5rem; }
.claimwise .example > summary { cursor: pointer; padding: .5rem .75rem; background: var(--panel); }
.claimwise .example > .claimwise { padding: .5rem 1rem 1rem; }
.claimwise .signature { font-size: .8rem; color: var(--soft); }
@container (max-width: 40rem) {
  .claimwise .sides { grid-template-columns: minmax(0, 1fr); padding-bottom: 0; }
  .claimwise .sides > .hint { display: none; }
  .claimwise .matrix .text { display: none; } .claimwise .matrix :is(td, thead th) {
    min-width: 3.4rem; padding: .25rem; }
  .claimwise .why table { font-size: .8rem; }
  .claimwise .why :is(th, td.bar) { min-width: 0; padding: .2rem; }
}
@media print { .claimwise .scroll, .claimwise .panel { max-height: none; } }
"""
