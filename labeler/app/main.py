"""The app: `streamlit run main.py -- WORK`. The pages are in `views/`."""

from labeler.app.frame import frame

frame.run()
