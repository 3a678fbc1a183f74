pub struct Grid {
    width: usize,
    cells: Vec<bool>,
}

impl Grid {
    pub fn parse(text: &str) -> Grid {
        let width = text.lines().next().map_or(0, str::len);
        let cells = text.lines().flat_map(|line| line.bytes().map(|b| b == b'#')).collect();
        Grid { width, cells }
    }

    pub fn alive(&self, x: usize, y: usize) -> bool {
        self.cells[y * self.width + x]
    }

    /// How many cells around this one are alive.
    pub fn neighbours(&self, x: usize, y: usize) -> usize {
        let at = (y * self.width + x) as isize;
        let w = self.width as isize;
        [-w - 1, -w, -w + 1, -1, 0, 1, w - 1, w, w + 1]
            .iter()
            .filter(|d| self.cells.get((at + **d) as usize).copied().unwrap_or(false))
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::Grid;

    #[test]
    fn parses() {
        assert!(Grid::parse("#.\n..").alive(0, 0));
    }

    #[test]
    fn counts_others() {
        let grid = Grid::parse("#.#\n..#\n#.#");
        assert_eq!(grid.neighbours(0, 1), 2);
        assert_eq!(grid.neighbours(2, 1), 2);
        assert_eq!(grid.neighbours(1, 1), 5);
    }
}
