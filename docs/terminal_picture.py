"""
A terminal's text as an SVG picture, for the README.

    batchgate gate --color always | python3 docs/terminal_picture.py TITLE >docs/gate.svg

Knows what the text report uses: bold, and the colours 30 to 37 and 90 to 97.
"""
import html
import re
import sys

CELL_WIDTH, LINE_HEIGHT, FONT_SIZE, MARGIN, BAR = 7.83, 18, 13, 16, 30
BACKGROUND, PLAIN = "#1e1e2e", "#cdd6f4"
COLOURS = {1: "#f38ba8", 2: "#a6e3a1", 3: "#f9e2af", 4: "#89b4fa", 5: "#cba6f7", 6: "#94e2d5",
           0: "#585b70", 7: "#ffffff"}


def spans(line):
    """Pieces of a line: (column, text, colour, bold)."""
    colour, bold, column = PLAIN, False, 0
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if not code:
            if piece:
                yield column, piece, colour, bold
            column += len(piece)
            continue
        for number in [int(n or 0) for n in code.group(1).split(";")]:
            if number == 0:
                colour, bold = PLAIN, False
            elif number == 1:
                bold = True
            elif 30 <= number <= 37 or 90 <= number <= 97:
                colour = COLOURS[number % 10]


def main():
    title = sys.argv[1]
    lines = sys.stdin.read().rstrip("\n").split("\n")
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
    width = round(max(map(len, plain)) * CELL_WIDTH + 2 * MARGIN)
    height = len(lines) * LINE_HEIGHT + 2 * MARGIN + BAR
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
          f'viewBox="0 0 {width} {height}" role="img">')
    print(f"<title>{html.escape(title)}</title>")
    print(f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>')
    for i, dot in enumerate(("#f38ba8", "#f9e2af", "#a6e3a1")):
        print(f'<circle cx="{MARGIN + 4 + 18 * i}" cy="{BAR / 2 + 3}" r="5.5" fill="{dot}"/>')
    print(f'<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace" '
          f'font-size="{FONT_SIZE}">')
    for row, line in enumerate(lines):
        y = BAR + MARGIN + row * LINE_HEIGHT + FONT_SIZE
        for column, text, colour, bold in spans(line):
            weight = ' font-weight="bold"' if bold else ""
            # Words at their own places: columns stay straight in a font that is not monospaced.
            for word in re.finditer(r"\S+", text):
                x = MARGIN + (column + word.start()) * CELL_WIDTH
                print(f'<text x="{x:.2f}" y="{y}" fill="{colour}"{weight}>'
                      f"{html.escape(word.group())}</text>")
    print("</g></svg>")


if __name__ == "__main__":
    main()
